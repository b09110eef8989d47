package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"tapedeck/tools/bench/plan"
)

// planCommand holds the load and the machines of a plan. It measures nothing.
type planCommand struct {
	Rate       []float64     `help:"Frames per second; a plan for each." default:"10000,100000,1000000" placeholder:"N,…"`
	FrameBytes float64       `help:"Size of a frame." default:"136" placeholder:"N"`
	Sessions   int           `help:"Sessions that run at once." default:"50000" placeholder:"N"`
	Days       float64       `help:"How long frames are kept, days." default:"86"`
	Stored     float64       `help:"Bytes in ClickHouse for each byte of a frame." default:"0.1037" placeholder:"N"`
	Workload   []string      `help:"Kinds of load: bulk, live." default:"bulk,live" enum:"bulk,live" placeholder:"KIND,…"`
	Cores      int           `help:"Cores of a machine." default:"32"`
	Busy       float64       `help:"Share of cores and network that is planned for." default:"0.5"`
	Disk       string        `help:"Disk of a ClickHouse machine." default:"16TB" placeholder:"SIZE"`
	Full       float64       `help:"Share of the disk that is planned for." default:"0.7"`
	Network    string        `help:"Network of a machine, bytes per second." default:"1.25GB" placeholder:"SIZE"`
	Stream     string        `help:"Bytes per second that a JetStream stream takes." default:"325MB" placeholder:"SIZE"`
	Replicas   int           `help:"Replicas of JetStream streams." default:"3"`
	NATS       int           `name:"nats" help:"NATS servers. Default: as many as the load needs." placeholder:"N"`
	Partitions int           `help:"Partitions. Default: as many as the load needs." placeholder:"N"`
	Shards     int           `help:"ClickHouse shards. Default: as many as the load needs." placeholder:"N"`
	Away       time.Duration `help:"How long the shard is away." default:"1h" placeholder:"D"`
	Seed       uint64        `help:"Seed of the sessions' rates." default:"1"`
	Out        string        `help:"Write the page to this file as well." placeholder:"FILE" type:"path"`
}

// Run prints the page.
func (c *planCommand) Run() error {
	sizes := map[string]float64{}
	for flag, text := range map[string]string{"disk": c.Disk, "network": c.Network, "stream": c.Stream} {
		n, err := humanize.ParseBytes(text)
		if err != nil {
			return fmt.Errorf("--%s %s: it is no size: write it as 16TB", flag, text)
		}
		sizes[flag] = float64(n)
	}
	for flag, share := range map[string]float64{"busy": c.Busy, "full": c.Full} {
		if !(share > 0 && share <= 1) {
			return fmt.Errorf("--%s %v: it must be above 0 and at most 1", flag, share)
		}
	}
	var inputs []plan.Input
	for _, w := range plan.Workloads {
		if !slices.Contains(c.Workload, w.Name) {
			continue
		}
		for _, rate := range c.Rate {
			inputs = append(inputs, plan.Input{
				Rate: rate, FrameBytes: c.FrameBytes, Sessions: c.Sessions, Kept: time.Duration(c.Days * 24 * float64(time.Hour)),
				Workload: w, StoredPer: c.Stored, Cores: c.Cores, Busy: c.Busy, Disk: sizes["disk"], Full: c.Full,
				Network: sizes["network"], Stream: sizes["stream"], Replicas: c.Replicas,
				NATS: c.NATS, Partitions: c.Partitions, Shards: c.Shards, ShardAway: c.Away, Seed: c.Seed,
			})
		}
	}
	var page bytes.Buffer
	if err := plan.Write(&page, inputs...); err != nil {
		return err
	}
	if _, err := os.Stdout.Write(page.Bytes()); err != nil || c.Out == "" {
		return err
	}
	return os.WriteFile(c.Out, page.Bytes(), 0o644)
}
