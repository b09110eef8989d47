package plan

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"tapedeck/ingest"
)

// alpha is the exponent of the Pareto distribution of the sessions' rates: a few sessions send far
// more than most.
const alpha = 1.5

// Spread is how unevenly a load lies on members.
type Spread struct {
	Members    int
	Mean, Most float64 // frames/s of a member
	Largest    float64 // frames/s of the largest session, which is on one member
}

// Sample is what waits in JetStream at a time of the simulation.
type Sample struct {
	Waiting float64 // frames in JetStream
	Bytes   float64 // their size, of one replica
	Fullest float64 // bytes of the fullest partition
	Oldest  time.Duration
}

// Simulation is what happens while a shard is away, and while a NATS server is.
type Simulation struct {
	Partitions, Shards Spread
	Lost               float64       // frames/s of the shard that is away, the fullest one
	Capacity           float64       // frames/s that a shard stores at most
	Most               Sample        // the sample with most bytes
	Drained            time.Duration // from the shard's return until nothing waits; <0 if that does not happen
	// Leaders are the network's load of the busiest NATS server, bytes/s, before and while another is away.
	LeadersBefore, LeadersAway float64
}

// Simulate spreads sessions over partitions as the product does, and over shards by another hash of
// their ids, takes the fullest shard away and returns it, in steps of a second, and takes a NATS server away.
func (p *Plan) Simulate() *Simulation {
	rates := p.sessionRates()
	partition, shard := make([]float64, p.Partitions), make([]float64, p.Shards)
	both := make([][]float64, p.Shards) // frames/s by shard and partition
	for i := range both {
		both[i] = make([]float64, p.Partitions)
	}
	for i, rate := range rates {
		a := ingest.PartitionOf(ingest.DefaultTenant, "session-"+strconv.Itoa(i), p.Partitions).Index
		b := place(i, p.Shards)
		partition[a] += rate
		shard[b] += rate
		both[b][a] += rate
	}
	largest := slices.Max(rates)
	s := &Simulation{
		Partitions: spreadOf(partition, largest), Shards: spreadOf(shard, largest),
		Capacity: float64(p.Cores) * p.Busy / p.Workload.ClickHouse * 1e6,
	}
	lost := slices.Index(shard, slices.Max(shard))
	s.Lost = shard[lost]
	p.shardAway(s, both[lost])
	p.natsAway(s, partition)
	return s
}

// shardAway fills in what waits while the shard is away and until it has caught up.
func (p *Plan) shardAway(s *Simulation, rates []float64) {
	const limit = 2 * week
	size := p.FrameBytes * p.Workload.Waiting
	waiting := make([]float64, len(rates)) // frames, by partition
	s.Drained = -1
	for at := time.Duration(0); at < limit; at += time.Second {
		away := at < p.ShardAway
		total := 0.0
		for i, rate := range rates {
			waiting[i] += rate
			total += waiting[i]
		}
		if !away { // what waits longest is stored first, alike from all partitions
			stored := min(total, s.Capacity)
			for i := range waiting {
				waiting[i] -= waiting[i] / max(total, 1) * stored
			}
			total -= stored
		}
		x := Sample{Waiting: total, Bytes: total * size, Fullest: slices.Max(waiting) * size}
		if s.Lost > 0 {
			x.Oldest = time.Duration(total / s.Lost * float64(time.Second))
		}
		if x.Bytes > s.Most.Bytes {
			s.Most = x
		}
		if !away {
			if total < 1 {
				s.Drained = at - p.ShardAway
				return
			}
			if s.Capacity <= s.Lost {
				return // what waits grows for ever
			}
		}
	}
}

// natsAway fills in the network's load of the busiest NATS server. Partitions are led by the servers
// in turn; those of a server that is away are led by the servers with the next replicas.
func (p *Plan) natsAway(s *Simulation, partition []float64) {
	load := func(away int) float64 {
		sent := make([]float64, p.NATS)
		for i, rate := range partition {
			replicas := make([]int, 0, p.Replicas)
			for k := range p.Replicas {
				if n := (i + k) % p.NATS; n != away {
					replicas = append(replicas, n)
				}
			}
			if len(replicas) > 0 {
				// To the other replicas, and once to a sink.
				sent[replicas[0]] += rate * p.FrameBytes * p.Workload.Waiting * float64(len(replicas))
			}
		}
		return slices.Max(sent)
	}
	s.LeadersBefore = load(-1)
	for away := range p.NATS {
		s.LeadersAway = max(s.LeadersAway, load(away))
	}
}

// sessionRates draws the rates of the sessions, frames/s, whose sum is the rate of the input.
func (p *Plan) sessionRates() []float64 {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	rates, sum := make([]float64, p.Sessions), 0.0
	for i := range rates {
		rates[i] = math.Pow(1-random.Float64(), -1/alpha)
		sum += rates[i]
	}
	for i := range rates {
		rates[i] *= p.Rate / sum
	}
	return rates
}

// place returns the shard, of n, of a session.
func place(session, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte("session-" + strconv.Itoa(session))) // a hash does not fail
	x := h.Sum64()
	x ^= x >> 32 // the low bits of FNV depend on few bits of the text
	x *= 0x9e3779b97f4a7c15
	return int(x >> 11 % uint64(n))
}

func spreadOf(members []float64, largest float64) Spread {
	s := Spread{Members: len(members), Most: slices.Max(members), Largest: largest}
	for _, m := range members {
		s.Mean += m / float64(len(members))
	}
	return s
}
