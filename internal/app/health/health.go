// Package health describes the state of the parts of a server.
package health

import (
	"fmt"
	"time"

	"tapedeck/internal/console"
	"tapedeck/internal/local/diskspace"
)

// Check is the state of one part of a server.
type Check struct {
	Part string `json:"part"`
	OK   bool   `json:"ok"`
	// Advisory marks a failure that needs an operator but leaves the process ready.
	Advisory bool   `json:"advisory,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Do       string `json:"do,omitempty"` // how to resolve the problem
	State    any    `json:"state,omitempty"`
}

// Readiness is the answer of /readyz: ready unless a check that is not advisory fails.
type Readiness struct {
	Ready   bool    `json:"ready"`
	Version string  `json:"version"`
	Checks  []Check `json:"checks"`
}

// DeadLetters is the name of the check for blocks that were set aside.
const DeadLetters = "dead_letters"

// Shards is the name of the check for shards of a ClickHouse cluster that are away.
const Shards = "shards"

// LowDisk is the default of Thresholds.MinDiskFree, bytes.
const LowDisk = 2 << 30

// Thresholds are the limits beyond which checks fail.
type Thresholds struct {
	MaxLag      time.Duration // age of the oldest block that the sink has not stored
	MaxFill     float64       // used fraction of the limit of JetStream or the spool, percent
	MinDiskFree uint64        // free space of a disk, bytes
	// MaxClockSkew is by how much the clocks of servers may differ from this machine's clock; 0 for
	// no limit.
	MaxClockSkew time.Duration
}

// Full reports whether the used fraction of a limit, from 0 to 1, reaches MaxFill.
func (t *Thresholds) Full(fill float64) bool { return 100*fill >= t.MaxFill }

// Disk checks the free space on the disk of a directory.
func Disk(dir string, least uint64) Check {
	c := Check{Part: "disk", Advisory: true}
	space, err := diskspace.Of(dir)
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	c.OK, c.State = !space.Low(least), space
	c.Detail = fmt.Sprintf("%s free of %s, for %s", console.Bytes(space.Free), console.Bytes(space.Size), dir)
	if !c.OK {
		c.Do = "make room, or put the data elsewhere with --data: a full disk stops recording"
	}
	return c
}
