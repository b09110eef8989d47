// Package plan computes how many machines an installation needs, from measured costs, and simulates
// how it bears the loss of a ClickHouse shard and of a NATS server.
package plan

import (
	"errors"
	"fmt"
	"math"
	"time"

	"tapedeck/ingest"
)

// Workload holds what a frame of a kind of load costs.
type Workload struct {
	Name string
	// Server and ClickHouse are CPU-seconds per million frames.
	Server, ClickHouse float64
	// Waiting is the size of a frame in JetStream, of its size as recorded.
	Waiting float64
	// Source says where the figures were measured.
	Source string
}

// Workloads are the kinds of load with measured costs.
var Workloads = []Workload{
	{"bulk", 1.8, 3.0, 0.26, "files at full speed: docs/benchmarks.md, End to end; blocks of 35.4 bytes a frame of 136 bytes, Stage: publish"},
	{"live", 17.0, 28.5, 1.1, "1,000 streams of 20 frames/s, 0.91 cores: docs/benchmarks.md, Many streams. The split between server and " +
		"ClickHouse is that of bulk, and frames that wait are assumed not to be compressed"},
}

// Input describes the load and the machines.
type Input struct {
	Rate       float64       // frames/s
	FrameBytes float64       // of a frame as recorded
	Sessions   int           // that run at once
	Kept       time.Duration // how long frames stay in ClickHouse
	Workload   Workload
	StoredPer  float64 // bytes in ClickHouse for each byte as recorded

	Cores    int     // of a machine
	Busy     float64 // share of a machine's cores that is planned for
	Disk     float64 // bytes of a ClickHouse machine
	Full     float64 // share of a disk that is planned for
	Network  float64 // bytes/s of a machine, in one direction
	Stream   float64 // bytes/s that one JetStream stream takes
	Replicas int     // of JetStream streams

	NATS, Partitions, Shards int // 0: as many as the load needs

	ShardAway time.Duration // how long a shard is away in the simulation
	Seed      uint64
}

// Check returns an error for an input that cannot be computed.
func (in Input) Check() error {
	for name, v := range map[string]float64{
		"the rate": in.Rate, "the size of a frame": in.FrameBytes, "the number of sessions": float64(in.Sessions),
		"the time that frames are kept": float64(in.Kept), "the number of cores": float64(in.Cores), "the size of a disk": in.Disk,
		"the network's rate": in.Network, "the rate of a stream": in.Stream, "the number of replicas": float64(in.Replicas),
	} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("plan: %s must be above 0", name)
		}
	}
	switch {
	case in.Sessions > 10_000_000:
		return errors.New("plan: at most 10 million sessions can be simulated")
	case in.NATS < 0 || in.Partitions < 0 || in.Shards < 0 || in.NATS > 10_000 || in.Shards > 10_000:
		return errors.New("plan: the numbers of NATS servers and shards must be from 0 to 10000, that of partitions must not be negative")
	case in.ShardAway < 0 || in.ShardAway > week:
		return errors.New("plan: a shard is away for at most a week")
	}
	return nil
}

const week = 7 * 24 * time.Hour

// Need is how many members of a part a limit requires.
type Need struct {
	Part, Limit string
	Total       float64 // what the load takes, in units of the limit
	Each        float64 // what one member may take
	Members     int
}

func need(part, limit string, total, each float64) Need {
	return Need{part, limit, total, each, max(1, int(math.Ceil(total/each-1e-9)))}
}

// Plan is the installation for an input.
type Plan struct {
	Input
	Needs []Need
	// Servers, NATS, Partitions and Shards are the numbers of members.
	Servers int
	// Stored is the size in ClickHouse, bytes; Recorded is the same as recorded.
	Stored, Recorded float64
}

// New computes the installation. Each number is the most that a limit requires.
func New(in Input) (*Plan, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	w, bytes := in.Workload, in.Rate*in.FrameBytes
	p := &Plan{Input: in, Recorded: bytes * in.Kept.Seconds()}
	p.Stored = p.Recorded * in.StoredPer
	waiting := bytes * w.Waiting
	cores := float64(in.Cores) * in.Busy
	p.Needs = []Need{
		need("servers (ingest and sink)", "cores", in.Rate/1e6*w.Server, cores),
		// A server receives frames as recorded, and sends their blocks to JetStream and their rows to ClickHouse.
		need("servers (ingest and sink)", "network, bytes/s", 2*bytes, in.Network*in.Busy),
		need("JetStream streams (partitions)", "bytes/s", waiting, in.Stream*in.Busy),
		// The leader of a stream receives each byte, and sends it to the other replicas and to a sink.
		need("NATS servers", "network, bytes/s", waiting*float64(in.Replicas), in.Network*in.Busy),
		need("ClickHouse shards", "cores", in.Rate/1e6*w.ClickHouse, cores),
		need("ClickHouse shards", "disk, bytes", p.Stored, in.Disk*in.Full),
	}
	most := func(part string) (n int) {
		for _, x := range p.Needs {
			if x.Part == part {
				n = max(n, x.Members)
			}
		}
		return n
	}
	p.Servers = max(2, most("servers (ingest and sink)"))
	if p.NATS == 0 {
		p.NATS = max(in.Replicas, most("NATS servers"))
	}
	if p.Partitions == 0 { // each server leads as many
		p.Partitions = (most("JetStream streams (partitions)") + p.NATS - 1) / p.NATS * p.NATS
	}
	if p.Partitions > ingest.MaxPartitions {
		return nil, fmt.Errorf("plan: %d partitions are planned, and JetStream's blocks have at most %d", p.Partitions, ingest.MaxPartitions)
	}
	if p.Shards == 0 {
		p.Shards = most("ClickHouse shards")
	}
	if p.NATS < in.Replicas {
		return nil, fmt.Errorf("plan: %d replicas need as many NATS servers, and there are %d", in.Replicas, p.NATS)
	}
	return p, nil
}
