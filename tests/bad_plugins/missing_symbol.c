/* A shared object that is no plugin. */
extern const int some_plugin;
const int some_plugin = 1;
