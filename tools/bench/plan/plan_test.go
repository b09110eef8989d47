package plan

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

// input is a load whose numbers are computed by hand below.
func input() Input {
	return Input{
		Rate: 1e6, FrameBytes: 100, Sessions: 20_000, Kept: 100 * 24 * time.Hour,
		Workload: Workload{Name: "test", Server: 48, ClickHouse: 96, Waiting: 0.5}, StoredPer: 0.1,
		Cores: 32, Busy: 0.5, Disk: 20e12, Full: 0.5, Network: 1e9, Stream: 100e6, Replicas: 3,
		ShardAway: time.Hour, Seed: 1,
	}
}

// 48 CPU-seconds a second are three machines with 16 cores in use; 100 MB/s twice are a half of a network of 0.5 GB/s
// in use. 50 MB/s in JetStream fill a stream that is planned for 50 MB/s, so there is one for each of three servers. 96
// CPU-seconds are six shards, and 864 TB stored at a tenth are 86.4 TB, nine disks of 10 TB.
func TestNew(t *testing.T) {
	p, err := New(input())
	if err != nil {
		t.Fatal(err)
	}
	if p.Servers != 3 || p.NATS != 3 || p.Partitions != 3 || p.Shards != 9 {
		t.Errorf("%d servers, %d NATS servers, %d partitions, %d shards; want 3, 3, 3, 9", p.Servers, p.NATS, p.Partitions, p.Shards)
	}
	if math.Abs(p.Recorded-864e12) > 1 || math.Abs(p.Stored-86.4e12) > 1 {
		t.Errorf("%g bytes are stored as %g, want 864e12 as 86.4e12", p.Recorded, p.Stored)
	}
}

// One shard is away for an hour: 3,600 million frames wait. It stores 16 cores / 8 CPU-seconds per million = 2 million a
// second, so it needs another hour.
func TestShardAway(t *testing.T) {
	in := input()
	in.Workload.ClickHouse, in.Shards, in.Partitions = 8, 1, 1
	p, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Simulate()
	if got, want := s.Most.Waiting, 3600e6; math.Abs(got-want) > 2e6 {
		t.Errorf("%.0f frames wait at most, want %.0f", got, want)
	}
	if got, want := s.Most.Bytes, 3600e6*50; math.Abs(got-want) > 2e6*50 {
		t.Errorf("%.0f bytes wait at most, want %.0f", got, want)
	}
	if d := s.Drained - time.Hour; d < -2*time.Second || d > 2*time.Second {
		t.Errorf("all is stored after %v, want an hour", s.Drained)
	}
	// A shard whose cores are just enough for what arrives never catches up.
	p.Workload.ClickHouse = 16
	if s := p.Simulate(); s.Drained >= 0 {
		t.Errorf("a shard without cores to spare has caught up after %v", s.Drained)
	}
}

// Three servers lead a partition each and send it to two replicas and a sink. Without one of them, one of the others leads
// two partitions with one replica less.
func TestNATSAway(t *testing.T) {
	in := input()
	in.NATS, in.Partitions, in.Sessions = 3, 3, 1_000_000
	p, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Simulate()
	third := in.Rate / 3 * in.FrameBytes * in.Workload.Waiting
	for what, x := range map[string][2]float64{"before": {s.LeadersBefore, 3 * third}, "away": {s.LeadersAway, 4 * third}} {
		if math.Abs(x[0]-x[1]) > 0.1*x[1] { // sessions are not spread evenly
			t.Errorf("%s: the busiest server sends %.0f bytes/s, want about %.0f", what, x[0], x[1])
		}
	}
}

// Sessions of about equal rates are spread as by lots: the fullest of 16 members has a few per cent more than the mean.
func TestPlace(t *testing.T) {
	const sessions, members = 160_000, 16
	count := make([]float64, members)
	for i := range sessions {
		count[place(i, members)]++
	}
	s := spreadOf(count, 1)
	if deviation := math.Sqrt(s.Mean); s.Most-s.Mean > 4*deviation || s.Mean != sessions/members {
		t.Errorf("the fullest member has %.0f sessions of %.0f on average", s.Most, s.Mean)
	}
}

func TestWrite(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if err := Write(w, input()); err != nil {
			t.Fatal(err)
		}
	}
	if a.String() != b.String() {
		t.Error("the same input has two pages")
	}
	if want := "| 1,000,000 | test | 100 | 864 TB | 86 TB | 3 | 3 | 3 | 9 |"; !strings.Contains(a.String(), want) {
		t.Errorf("the page lacks %q:\n%s", want, a.String())
	}
}

func TestBadInput(t *testing.T) {
	for _, change := range []func(*Input){
		func(in *Input) { in.Rate = 0 }, func(in *Input) { in.Rate = math.NaN() }, func(in *Input) { in.Rate = math.Inf(1) },
		func(in *Input) { in.Sessions = 20_000_000 }, func(in *Input) { in.Shards = -1 }, func(in *Input) { in.ShardAway = 100 * week },
		func(in *Input) { in.NATS = 2 }, func(in *Input) { in.Disk = -1 },
		func(in *Input) { in.Partitions = 65 }, func(in *Input) { in.Stream = 1e6 }, // 100 partitions
	} {
		in := input()
		change(&in)
		if p, err := New(in); err == nil {
			t.Errorf("%+v was planned as %+v", in, p)
		}
	}
}
