package settings

import (
	"time"

	"tapedeck/internal/app/health"
)

// Thresholds are the values beyond which checks of /readyz fail, for the commands that run servers.
// docs/delivery.md lists which failures make which server unready.
type Thresholds struct {
	MaxLag       time.Duration `help:"Age of the oldest block that the sink has not stored, or that waits in the spool, from which on /readyz and doctor report it." default:"60s" min:">0" reload:"yes" env:"TAPEDECK_MAX_LAG" placeholder:"DURATION"`
	MaxFill      float64       `help:"Used part of JetStream's or the spool's limit, percent, from which on they report it." default:"90" min:">0" max:"100" unit:"percent" reload:"yes" env:"TAPEDECK_MAX_FILL" placeholder:"PERCENT"`
	MinDiskFree  Size          `help:"Free space of the spool's and ClickHouse's disks below which they report it; on a small disk a 20th of it." default:"2GiB" min:"0" reload:"yes" env:"TAPEDECK_MIN_DISK_FREE" placeholder:"SIZE"`
	MaxClockSkew time.Duration `help:"Difference between the clocks of this machine and of ClickHouse or NATS from which on they report it." default:"30s" min:"1s" zero:"any difference" reload:"yes" env:"TAPEDECK_MAX_CLOCK_SKEW" placeholder:"D"`
}

// Health returns the thresholds of checks.
func (t *Thresholds) Health() health.Thresholds {
	return health.Thresholds{MaxLag: t.MaxLag, MaxFill: t.MaxFill, MinDiskFree: uint64(t.MinDiskFree),
		MaxClockSkew: t.MaxClockSkew}
}
