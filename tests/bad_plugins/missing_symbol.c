/* A shared object that is no plugin. */
extern const int tuner_plugin_v2;
const int tuner_plugin_v2 = 1;
