// Package settings declares the settings of tapedeck's servers. Each setting is a field of a struct
// whose tags declare flag, environment variable, default, unit and bounds. "tapedeck up" and
// "tapedeck serve" embed Up and Serve.
package settings
