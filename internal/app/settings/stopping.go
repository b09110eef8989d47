package settings

import "time"

// Stopping holds the settings of a server's shutdown.
type Stopping struct {
	DrainDelay  time.Duration `help:"After a signal to stop: how long requests are still answered while /readyz answers 503, so that load balancers send new ones to other servers." default:"0s" min:"0s" env:"TAPEDECK_DRAIN_DELAY" placeholder:"D"`
	StopTimeout time.Duration `help:"Bound on what follows: ending requests, and handing the spool over to JetStream. What is not handed over stays on disk." default:"5s" min:"1s" env:"TAPEDECK_STOP_TIMEOUT" placeholder:"D"`
}
