package settings

// Profiles are the settings of profiles of the process.
type Profiles struct {
	Pprof bool `help:"Serve profiles of this process under /debug/pprof/." env:"TAPEDECK_PPROF"`
}
