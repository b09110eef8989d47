package main

import (
	"fmt"
	"time"

	"tapedeck/deploy/health"
)

// thresholds are the flags beyond whose values checks of /readyz fail, for the commands
// that run servers. docs/delivery.md lists which failures make which server unready.
type thresholds struct {
	MaxLag      time.Duration `help:"Age of the oldest block that the sink has not stored, or that waits in the spool, from which on /readyz and doctor report it." default:"60s" env:"TAPEDECK_MAX_LAG" placeholder:"DURATION"`
	MaxFill     float64       `help:"Used part of JetStream's or the spool's limit, percent, from which on they report it." default:"90" env:"TAPEDECK_MAX_FILL" placeholder:"PERCENT"`
	MinDiskFree uint64        `help:"Free space, bytes, of the spool's and ClickHouse's disks below which they report it; on a small disk a 20th of it." default:"2147483648" env:"TAPEDECK_MIN_DISK_FREE" placeholder:"BYTES"`
}

// Validate is called by kong.
func (t *thresholds) Validate() error {
	if t.MaxLag <= 0 {
		return fmt.Errorf("--max-lag=%v: it must be above 0, like 60s", t.MaxLag)
	}
	if !(t.MaxFill > 0 && t.MaxFill <= 100) {
		return fmt.Errorf("--max-fill=%v: it must be a percentage above 0, at most 100", t.MaxFill)
	}
	return nil
}

func (t *thresholds) settings() health.Thresholds {
	return health.Thresholds{MaxLag: t.MaxLag, MaxFill: t.MaxFill, MinDiskFree: t.MinDiskFree}
}
