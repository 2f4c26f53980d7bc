/*
 * Mandates (leader_election/election/mandates) as a model, which SPIN checks: make prove.
 *
 * LEADERS robots may lead, all ROBOTS grant, also to themselves. Whom a robot follows is arbitrary,
 * so this covers every election. Any robot restarts at any time. A tick is a unit of time: a
 * mandate ends T ticks after its beat and a promise T ticks after its grant, the latest and the
 * earliest times that clocks within the rate error allow. Grants, releases and 'I do not lead'
 * arrive at any later time, in any order, more than once, or never. Of the last two the
 * greatest number decides, so only that is kept; a late notice 'leaving' does nothing that an early
 * one does not, so it is heard at once or never. Numbers end at LAST, and so does the run.
 */
#ifndef ROBOTS
#define ROBOTS 2
#endif
#ifndef LAST
#define LAST 2
#endif
#ifndef T
#define T 1
#endif
#define LEADERS 2
#define AT(l, m) ((l) * ROBOTS + (m))
#define AGE(l, b) age[(l) * (LAST + 1) + (b)]
#define GRANTED(l, m, b) ((grants[AT(l, m)] >> (b)) & 1)

byte number[ROBOTS], silent[ROBOTS];                   /* the greatest seen; ticks of silence */
byte promised[ROBOTS], left[ROBOTS], highest[ROBOTS];  /* leader + 1, ticks left, last beat */
bool leads[LEADERS];
byte age[LEADERS * (LAST + 1)];                        /* ticks left of a beat; 0: it is none */
byte held[LEADERS * ROBOTS], gone[LEADERS * ROBOTS];   /* the beat of a mandate; of a notice */
byte grants[LEADERS * ROBOTS];                         /* under way: sets of beats */
byte released[LEADERS * ROBOTS], down[LEADERS];        /* under way: the greatest */
byte holder[ROBOTS], term[ROBOTS];                     /* of the last mandate over a robot */
byte l, m, b, k, most;

inline forget() {          /* what no longer counts */
  for (l : 0 .. LEADERS - 1) {
    for (m : 0 .. ROBOTS - 1) {
      if :: held[AT(l, m)] && AGE(l, held[AT(l, m)]) == 0 -> held[AT(l, m)] = 0 :: else fi;
      for (b : 1 .. LAST) {
        if :: GRANTED(l, m, b) && AGE(l, b) == 0 ->
              grants[AT(l, m)] = grants[AT(l, m)] - (1 << b)
           :: else fi } } }
  l = 0; m = 0; b = 0; k = 0; most = 0
}

inline end_mandates(who) {
  for (k : 0 .. ROBOTS - 1) { held[AT(who, k)] = 0; gone[AT(who, k)] = 0 }
  for (k : 0 .. LAST) { AGE(who, k) = 0 }
}

active proctype swarm() {
  do
  :: atomic { true; /* time */
       for (k : 0 .. LEADERS * (LAST + 1) - 1) { if :: age[k] -> age[k]-- :: else fi }
       for (k : 0 .. ROBOTS - 1) {
         if :: left[k] -> left[k]-- :: else fi;
         if :: left[k] == 0 -> promised[k] = 0 :: else fi;
         if :: silent[k] -> silent[k]-- :: else fi }
       forget() }
  :: atomic { select(l : 0 .. LEADERS - 1); /* step down, or begin to lead */
       if :: leads[l] ->
             leads[l] = false; end_mandates(l);
             if :: promised[l] == l + 1 -> left[l] = 0; promised[l] = 0 :: else fi
          :: else -> leads[l] = true fi;
       forget() }
  :: atomic { select(l : 0 .. LEADERS - 1); /* beat, or say that one does not lead */
       if :: leads[l] && number[l] < LAST -> number[l]++; AGE(l, number[l]) = T
          :: !leads[l] -> down[l] = number[l]
          :: else fi;
       forget() }
  :: atomic { select(l : 0 .. ROBOTS - 1); select(m : 0 .. ROBOTS - 1); /* hear a number */
       if :: number[m] > number[l] -> number[l] = number[m] :: else fi;
       forget() }
  :: atomic { select(l : 0 .. LEADERS - 1); select(m : 0 .. ROBOTS - 1); select(b : 1 .. LAST);
       if
       :: AGE(l, b) && b > highest[m] && !silent[m] && (left[m] == 0 || promised[m] == l + 1) ->
          promised[m] = l + 1; left[m] = T; highest[m] = b; /* grant */
          grants[AT(l, m)] = grants[AT(l, m)] | (1 << b);
          if :: number[m] < b -> number[m] = b :: else fi
       :: GRANTED(l, m, b) && leads[l] && AGE(l, b) && b > gone[AT(l, m)] -> /* count it */
          if :: held[AT(l, m)] == 0 ->
                held[AT(l, m)] = b;
                assert(holder[m] == l + 1 || b > term[m]);    /* guarantee (c) */
                holder[m] = l + 1;
                if :: b > term[m] -> term[m] = b :: else fi
             :: held[AT(l, m)] && b > held[AT(l, m)] -> held[AT(l, m)] = b
             :: else fi;
          assert(held[AT(0, m)] == 0 || held[AT(1, m)] == 0)  /* guarantee (a), and so (b) */
       :: left[m] && promised[m] == l + 1 && highest[m] == b -> /* its notice is heard */
          if :: leads[l] && b > gone[AT(l, m)] -> gone[AT(l, m)] = b :: else fi;
          if :: held[AT(l, m)] <= b -> held[AT(l, m)] = 0 :: else fi;
          if :: b > released[AT(l, m)] -> released[AT(l, m)] = b :: else fi
       :: left[m] && promised[m] == l + 1 && highest[m] <= b && released[AT(l, m)] >= b ->
          left[m] = 0; promised[m] = 0
       :: left[m] && promised[m] == l + 1 && highest[m] <= b && down[l] >= b ->
          left[m] = 0; promised[m] = 0
       :: else
       fi;
       forget() }
  :: atomic { select(m : 0 .. ROBOTS - 1); /* restart: above all numbers so far */
       for (k : 0 .. ROBOTS - 1) { if :: number[k] > most -> most = number[k] :: else fi }
       if :: most < LAST ->
             number[m] = most + 1; highest[m] = most + 1;
             left[m] = 0; promised[m] = 0; silent[m] = T;
             if :: m < LEADERS -> leads[m] = false; end_mandates(m) :: else fi
          :: else fi;
       forget() }
  od
}
