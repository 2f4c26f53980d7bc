/*
 * Mandates (leader_election/election/mandates) as a model, which SPIN checks: make prove.
 *
 * Two of ROBOTS lead whenever they want, all grant, and whom a robot follows is arbitrary; so this
 * covers every election, crash and cut. Grants, notices and answers arrive at any later time, in
 * any order, more than once, or never. Beats are numbers up to LAST, where the run ends.
 *
 * Of clocks it has what their rate error guarantees, for all durations: by true time, a beat ends
 * on its leader before each promise that follows it, T(1-2r)/(1-r) < T < T(1+2r)/(1+r). This holds
 * while computers sleep, since a lease counts a clock that goes on meanwhile.
 *
 * A leader that steps down ends all its beats at once. One resource has a fence: the one of robot 0
 * or, with a quorum of all robots, of the swarm.
 *
 * With NODES those who act are nodes beside leaders. A node acts by the lease that its leader has
 * told it last, and ends it on a clock of its own. A leader that steps down, or lets go of a robot,
 * tells its node, which reacts before the promise of that robot ends. A leader that restarts tells
 * nobody: its node outlives it, and acts until the lease ends. The lease that a node reads at once
 * and keeps for as long as it may stands for all others.
 *
 * With CHANGE the roster changes from robot 0 to all others, in two steps, and leader l is robot l.
 * Which robots know that a leader has acted in a step is arbitrary.
 *
 * Where WITHOUT is the number of a rule, the protocol lacks it, and SPIN has to find a fault.
 */
#ifndef ROBOTS
#define ROBOTS 4
#endif
#ifndef LAST
#define LAST 2
#endif
#ifndef WITHOUT
#define WITHOUT 0
#endif
#define RULE(rule, holds) (WITHOUT == rule || (holds))
#define AT(l, m) ((l) * ROBOTS + (m))
#define BIT(b) (1 << (b))
#define UP_TO(b) ((2 << (b)) - 1)
#ifdef NODES
#undef NODES
#define NODES 1
#else
#define NODES 0
#endif
#ifdef CHANGE
#define OLD(m) ((m) == 0)
#define OLD_SIZE 1
#else
#define CHANGE 0
#define OLD(m) 1
#define OLD_SIZE ROBOTS
#endif
#define ENOUGH(l) ((shown[l] > (WITHOUT != 13) || n > OLD_SIZE / 2 - (WITHOUT == 10)) \
                   && (shown[l] == 0 || o > (ROBOTS - OLD_SIZE) / 2))
#define TERMS(at, term) RULE(9, first[at] <= term && term <= last[at])

byte beats[2], ended[2];              /* of a leader: a set; the greatest that has ended */
byte gone[2];                         /* the greatest whose grants do not count any more */
byte down[2];                         /* the greatest before it was heard to grant another one */
byte promised[ROBOTS];                /* the leader + 1 */
byte highest[ROBOTS];                 /* the greatest beat granted */
bool silent[ROBOTS];                  /* after a restart */
bool answered[ROBOTS];                /* 'released' is under way for its last grant */
byte grants[2 * ROBOTS];              /* under way, by leader and robot: sets of beats */
byte first[2 * ROBOTS], last[2 * ROBOTS];  /* beats of the leases of nodes; 0: there is none */
bool told[2 * ROBOTS];                /* the leader has ended the mandate, and tells its node */
byte kept[2 * ROBOTS];                /* the beat of a lease whose node outlives its leader */
bool mute[2];                         /* a leader that has started: such a node may act */
bool of_swarm;                        /* whose resource it is */
byte obeyed, holder;                  /* its last term, and leader + 1 */
byte step[ROBOTS];                    /* 0: the old roster, 1: both, 2: the new one */
byte shown[2];                        /* the step in which nodes were told their leases */
byte proven;                          /* one more than the last step in which a leader has acted */
byte l, m, b, k, n, o;

inline drop(who, robot) {
  first[AT(who, robot)] = 0; last[AT(who, robot)] = 0; told[AT(who, robot)] = 0 }

inline obey(term) {                   /* guarantee (c) */
  assert(term > obeyed || (term == obeyed && holder == l + 1));
  obeyed = term; holder = l + 1
}

inline count(who, term) {             /* n, o: the old and new robots that have granted a term */
  n = 0; o = 0;
  for (k : 0 .. ROBOTS - 1) {
    if :: first[AT(who, k)] && TERMS(AT(who, k), term) -> n = n + OLD(k); o = o + !OLD(k)
       :: else fi }
}

inline count_kept(who) {              /* of nodes that outlive their leader */
  n = 0; o = 0;
  for (k : 0 .. ROBOTS - 1) {
    if :: kept[AT(who, k)] -> n = n + OLD(k); o = o + !OLD(k) :: else fi }
}

inline end(b) {                       /* all beats of a leader up to one, by time */
  beats[l] = beats[l] & ~UP_TO(b); ended[l] = b;
  for (k : 0 .. ROBOTS - 1) {
    grants[AT(l, k)] = grants[AT(l, k)] & ~UP_TO(b);
    if :: last[AT(l, k)] <= b && WITHOUT != 5 -> drop(l, k) :: else fi;
    if :: kept[AT(l, k)] <= b && WITHOUT != 21 -> kept[AT(l, k)] = 0 :: else fi }
}

inline leave() {                      /* all beats of a leader end, by its own decision */
  for (k : 1 .. LAST) { if :: beats[l] & BIT(k) -> b = k :: else fi }
  if :: NODES ->
        gone[l] = b;
        for (k : 0 .. ROBOTS - 1) {
          grants[AT(l, k)] = 0; told[AT(l, k)] = first[AT(l, k)] > 0 }
     :: else -> end(b) fi
}

/* One state of those that allow the same: less to explore. */

inline swap(x, y) { k = x; x = y; y = k }

inline exchange_leaders() {
  swap(beats[0], beats[1]); swap(ended[0], ended[1]); swap(gone[0], gone[1]);
  swap(down[0], down[1]); swap(mute[0], mute[1]);
  holder = (holder -> 3 - holder : 0);
  for (m : 0 .. ROBOTS - 1) {
    promised[m] = (promised[m] -> 3 - promised[m] : 0);
    swap(grants[m], grants[AT(1, m)]); swap(first[m], first[AT(1, m)]);
    swap(last[m], last[AT(1, m)]); swap(told[m], told[AT(1, m)]);
    swap(kept[m], kept[AT(1, m)]) }
}

#define MORE(x, y, otherwise) ((x) > (y) -> 1 : ((x) < (y) -> 2 : (otherwise)))
#define MORE_OF(a, i, j, otherwise) MORE(a[i], a[j], MORE(a[AT(1, i)], a[AT(1, j)], otherwise))

inline order(i, j) {
  n = MORE(promised[i], promised[j], MORE(highest[i], highest[j], MORE(silent[i], silent[j],
      MORE(answered[i], answered[j], MORE_OF(grants, i, j, MORE_OF(first, i, j,
      MORE_OF(last, i, j, MORE_OF(told, i, j, MORE_OF(kept, i, j, 0)))))))));
  if :: n == 1 ->
        swap(promised[i], promised[j]); swap(highest[i], highest[j]);
        swap(silent[i], silent[j]); swap(answered[i], answered[j]);
        for (l : 0 .. 1) {
          swap(grants[AT(l, i)], grants[AT(l, j)]); swap(first[AT(l, i)], first[AT(l, j)]);
          swap(last[AT(l, i)], last[AT(l, j)]); swap(told[AT(l, i)], told[AT(l, j)]);
          swap(kept[AT(l, i)], kept[AT(l, j)]) }
     :: else fi
}

inline tidy() {
  n = LAST;
  for (m : 0 .. ROBOTS - 1) { n = (highest[m] < n -> highest[m] : n) }
  for (l : 0 .. 1) {                  /* beats that nobody can grant any more */
    k = 0; o = 0; mute[l] = 0;
    for (m : 0 .. ROBOTS - 1) {
      k = k | grants[AT(l, m)] | BIT(last[AT(l, m)]) | BIT(kept[AT(l, m)]);
      if :: promised[m] == l + 1 ->
            k = k | BIT(highest[m]); o = o || highest[m] <= down[l]
         :: else fi;
      mute[l] = mute[l] || kept[AT(l, m)] }
    b = (gone[l] > n -> gone[l] : n);
    beats[l] = beats[l] & (k | ~UP_TO(b));
    if :: ended[l] < b && !(k & UP_TO(b) & ~UP_TO(ended[l])) -> ended[l] = b :: else fi;
    if :: RULE(19, !mute[l]) && beats[l] <= UP_TO(gone[l]) -> down[l] = gone[l]
       :: else -> down[l] = (o || WITHOUT == 20 -> down[l] : 0) fi;
    down[l] = (down[l] > ended[l] || WITHOUT == 20 -> down[l] : 0);
    if :: !(beats[l] & UP_TO(gone[l])) -> gone[l] = 0 :: else fi }
  for (m : 0 .. ROBOTS - 1) {
    n = 0;
    for (l : 0 .. 1) {
      n = n | grants[AT(l, m)] | first[AT(l, m)] | kept[AT(l, m)];
      /* By time, as early as may be. */
      if :: promised[m] == l + 1 && highest[m] <= ended[l] -> promised[m] = 0; answered[m] = 0
         :: else fi }
    silent[m] = silent[m] && n;       /* until all has ended that it may have forgotten */
    if :: highest[m] <= ended[0] && highest[m] <= ended[1] -> highest[m] = 0 :: else fi }
  if :: CHANGE == 0 && (beats[0] > beats[1] || (beats[0] == beats[1] && ended[0] > ended[1])) ->
        exchange_leaders()
     :: else fi;
  if :: CHANGE == 0 ->
        for (b : !of_swarm .. ROBOTS - 2) {
          for (m : !of_swarm .. ROBOTS - 2 - b + !of_swarm) { order(m, m + 1) } }
     :: else fi;
  l = 0; m = 0; b = 0; k = 0; n = 0; o = 0
}

active proctype swarm() {
  atomic { if :: of_swarm = true :: CHANGE == 0 -> of_swarm = false fi }
  do
  :: atomic { select(l : 0 .. 1); select(b : 1 .. LAST);
     if
     :: b > ended[l] && b > gone[l] && b > down[l] && BIT(b) > beats[l] ->
        beats[l] = beats[l] | BIT(b)                             /* a beat */
     :: beats[l] & BIT(b) -> d_step { end(b); k = 0 }             /* beats end */
     :: NODES && b == LAST && beats[l] > UP_TO(gone[l]) -> d_step {
          leave(); k = 0 }                                       /* it steps down */
     :: NODES && b == LAST && beats[l] > UP_TO(gone[l]) -> d_step {            /* it restarts */
          for (k : 0 .. ROBOTS - 1) {
            if :: first[AT(l, k)] && !told[AT(l, k)] ->
                  kept[AT(l, k)] = last[AT(l, k)]; drop(l, k)
               :: else fi }
          leave(); k = 0 }
     :: else fi;
     d_step { tidy() } }
  :: atomic { select(l : 0 .. 1); select(m : 0 .. ROBOTS - 1); select(b : 1 .. LAST);
     if
     :: ((beats[l] & BIT(b)) && b > gone[l] && RULE(1, b > highest[m]) && RULE(2, !silent[m])
         && RULE(3, promised[m] == 0 || promised[m] == l + 1)
         && RULE(16, step[m] == step[l])) -> d_step {                          /* a grant */
          promised[m] = l + 1; highest[m] = b;
          answered[m] = (WITHOUT == 6 -> answered[m] : 0);
          grants[AT(l, m)] = grants[AT(l, m)] | BIT(b) }
     :: (grants[AT(l, m)] & BIT(b)) && b > gone[l] && b > last[AT(l, m)] -> d_step { /* counts */
          for (k : 0 .. ROBOTS - 1) {                            /* and its node is told */
            if :: shown[l] != step[l] || (told[AT(l, k)] && k == m) -> drop(l, k) :: else fi }
          shown[l] = step[l];
          if :: first[AT(l, m)] == 0 && !of_swarm && m == 0 -> obey(b) :: else fi;
          /* Only a quorum asks for the first. Of older grants none can count any more. */
          first[AT(l, m)] = (first[AT(l, m)] -> first[AT(l, m)] : (of_swarm -> b : 1));
          last[AT(l, m)] = b;
          grants[AT(l, m)] = grants[AT(l, m)] & ~(BIT(b) - 1);
          assert(first[AT(1 - l, m)] == 0 && kept[AT(1 - l, m)] == 0) }  /* guarantee (a) */
     :: (b <= highest[m] && ((grants[AT(l, m)] & UP_TO(b))
         || (promised[m] == l + 1 && b == highest[m]))) -> d_step {  /* it hears 'leaving' */
          grants[AT(l, m)] = grants[AT(l, m)] & (WITHOUT == 7 -> 255 : ~UP_TO(b));
          answered[m] = answered[m] || (promised[m] == l + 1 && b == highest[m]
                                        && RULE(18, !mute[l]));
          if :: last[AT(l, m)] <= b && WITHOUT != 8 ->
                told[AT(l, m)] = first[AT(l, m)] > 0;
                if :: NODES -> skip :: else -> drop(l, m) fi
             :: else fi }
     :: promised[m] == l + 1 && (answered[m] || WITHOUT == 4
         || highest[m] <= down[l] || (WITHOUT == 20 && down[l])) -> d_step {   /* released */
          promised[m] = 0; answered[m] = 0;
          if :: told[AT(l, m)] && WITHOUT != 17 -> drop(l, m) :: else fi }  /* its node reacts */
     :: d_step {                                                 /* a restart */
          promised[m] = 0; answered[m] = 0; silent[m] = true;
          highest[m] = (WITHOUT == 11 -> 0 : highest[m]) }
     :: CHANGE && m == l && step[m] < 2 && RULE(12, proven > step[m]) -> d_step {
          step[m] = step[m] + 1;                                 /* a leader takes a step */
          if :: beats[l] && WITHOUT != 14 -> leave() :: else fi;
          shown[l] = (NODES && WITHOUT != 14 -> shown[l] : step[l]) }
     :: CHANGE && m > 1 && step[m] < 2 && RULE(12, proven > step[m]) -> step[m] = step[m] + 1
     :: CHANGE && WITHOUT == 15 && step[m] > 0 -> step[m] = step[m] - 1
     fi;
     d_step { tidy() } }
  :: atomic { of_swarm; select(l : 0 .. 1); select(b : 1 .. LAST);
     d_step {                                                    /* act, under term b */
       count(l, b);
       if :: ENOUGH(l) && (holder != l + 1 || b >= obeyed) ->
             obey(b);
             proven = (CHANGE && shown[l] >= proven -> shown[l] + 1 : proven);
             for (b : 1 .. LAST) {
               count(1 - l, b); assert(!ENOUGH(1 - l)) }         /* guarantee (b) */
             count_kept(1 - l); assert(!ENOUGH(1 - l))
          :: else fi;
       tidy() } }
  od
}
