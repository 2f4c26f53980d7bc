# Message packages from PyPI name the Python of the machine that built them. This names one's own:
# colcon build --base-paths . msgs --cmake-args -DCMAKE_PROJECT_INCLUDE=$PWD/msgs/wheels.cmake
function(use_this_python)
  find_package(Python3 REQUIRED COMPONENTS Development NumPy)
  foreach(package builtin_interfaces geometry_msgs std_msgs)
    set_target_properties(${package}::${package}__rosidl_generator_py PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${Python3_INCLUDE_DIRS};${Python3_NumPy_INCLUDE_DIRS}")
  endforeach()
endfunction()
cmake_language(DEFER CALL use_this_python)
