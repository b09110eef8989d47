// Package settings declares the settings of tapedeck's servers: one field of a struct for each,
// whose tags name flag, environment variable, default, unit and bounds. "tapedeck up" and
// "tapedeck serve" embed Up and Serve.
package settings
