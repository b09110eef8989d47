package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tapedeck/internal/local/engine"
	"tapedeck/internal/memorylimit"
)

const (
	// programBytes is what a server takes without streams and readers, bytes.
	programBytes = 64 << 20
	// inFlightBytes is the memory of blocks that are in flight to JetStream, bytes: a window of 16 MiB,
	// which the NATS client copies.
	inFlightBytes = 64 << 20
	// streamBytes is what an open stream takes that is idle, bytes.
	streamBytes = 32 << 10
	// leastStreams is the lowest default of --max-streams, and manyStreams the number that is counted
	// if it has no limit.
	leastStreams = 100
	manyStreams  = 10_000
	// frameCopies is how often a large frame is in memory at the most.
	frameCopies = 4
	// leastPart is the lowest default of a part, bytes.
	leastPart = 4 << 20
)

// memoryPart is a setting in bytes that takes a share of the memory.
type memoryPart struct {
	flag   string
	name   string // in metrics
	role   string // of serve that uses it
	share  int64  // of the sum of the shares of all parts that are used
	copies int64  // how often the bytes are in memory
}

// memoryParts lists the parts. Their defaults without a limit of memory, which are those of their
// flags, are their most.
var memoryParts = []memoryPart{
	{"max-reader-bytes", "readers", "api", 8, 1},
	{"session-cache-bytes", "session_cache", "api", 2, 1},
	{"max-writer-bytes", "writers", "ingest", 8, 1},
	{"sink-held-bytes", "sink_messages", "sink", 3, 1},
	{"sink-batch-bytes", "sink_batches", "sink", 4, 4}, // two batches for each of two queues
	{"max-cached-bytes", "jetstream_cache", "", 3, 1},
}

// processMemory is the memory that a process may take.
type processMemory struct {
	bytes uint64
	from  string // the setting, or the control group
}

// FitMemory sets the defaults of the settings that are shares of the memory of the process, and
// adds a warning if the parts may take more than the memory. It is called after Check. Without a
// limit of memory it changes nothing.
func (s *Sources) FitMemory() {
	if s.server != nil && isServer(s.server) {
		s.fitMemory(memorylimit.Group(), engine.DefaultMemory())
	}
}

// fitMemory implements FitMemory. group is the limit of the control group, 0 for none, and clickhouse
// the memory of the ClickHouse of "tapedeck up".
func (s *Sources) fitMemory(group, clickhouse uint64) {
	memory := s.memoryOf(group, clickhouse)
	if memory == nil {
		return
	}
	s.memory = memory
	used := s.usedParts()
	streams := int64(0)
	if s.hasRole("ingest") {
		streams = s.fitStreams(int64(memory.bytes))
	}
	shares := int64(0)
	for _, p := range used {
		shares += p.share
	}
	room := s.room(streams)
	for _, p := range used {
		if f := s.flag(p.flag); s.Of(p.flag).Kind == FromDefault {
			n := max(room*p.share/shares/p.copies, leastPart, lowest(f))
			s.fit(f, Size(min(n, int64(sizeOf(f)))>>20<<20))
		}
	}
	s.warnSum(used, streams)
}

// room returns the bytes that are left for the parts beside the program, the open streams, and a
// reader and a writer that exceed their budgets. A third is left for garbage.
func (s *Sources) room(streams int64) int64 {
	beyond := 2 * frameCopies * int64(sizeOf(s.flag("max-frame-bytes")))
	return (int64(s.memory.bytes)/5*4 - programBytes - inFlightBytes - streams - beyond) / 3 * 2
}

// memoryOf returns the memory of the process, nil if it has no limit.
func (s *Sources) memoryOf(group, clickhouse uint64) *processMemory {
	if own := sizeOf(s.flag("memory")); own > 0 {
		return &processMemory{uint64(own), "--memory"}
	}
	if group == 0 {
		return nil
	}
	if s.server.Name != "up" {
		clickhouse = 0
	}
	return &processMemory{memorylimit.Beside(group, clickhouse), "the control group"}
}

// usedParts returns the parts that the roles of the server use.
func (s *Sources) usedParts() []memoryPart {
	var used []memoryPart
	for _, p := range memoryParts {
		if p.role == "" && s.server.Name == "up" || p.role != "" && s.hasRole(p.role) {
			used = append(used, p)
		}
	}
	return used
}

func (s *Sources) hasRole(role string) bool {
	f := s.flag("role")
	if f == nil { // up
		return true
	}
	roles, _ := f.Target.Interface().([]string)
	return slices.Contains(roles, role)
}

// fitStreams sets the default of --max-streams, so that idle streams take a third of the memory at
// the most, and returns what they take.
func (s *Sources) fitStreams(whole int64) int64 {
	f := s.flag("max-streams")
	most := f.Target.Int()
	if s.Of(f.Name).Kind == FromDefault {
		most = min(most, max(whole/3/streamBytes, leastStreams))
		s.fit(f, int(most))
	}
	if most == 0 { // any number
		most = manyStreams
	}
	return most * streamBytes
}

// fit sets a setting that has no value of its own, if the value differs.
func (s *Sources) fit(f *kong.Flag, value any) {
	if f.Target.Interface() != value {
		f.Target.Set(reflect.ValueOf(value))
		s.origins[f.Name] = Origin{Kind: FromMemory}
	}
}

// warnSum warns if the parts together may take more than the memory.
func (s *Sources) warnSum(used []memoryPart, streams int64) {
	sum, parts := programBytes+inFlightBytes+streams, []string{}
	for _, p := range used {
		n := sizeOf(s.flag(p.flag))
		sum += p.copies * int64(n)
		parts = append(parts, fmt.Sprintf("--%s %v", p.flag, n))
	}
	if sum > int64(s.memory.bytes)/5*4 {
		s.warn(fmt.Sprintf("%v may be held of the %v of memory (%s), of which a fifth stays free: %s, and --max-streams %d take too much; "+
			"lower one of them, or raise --memory", Size(sum>>20<<20), Size(s.memory.bytes), s.memory.from, strings.Join(parts, ", "),
			streams/streamBytes))
	}
}

// Memory returns the memory of the process, bytes; 0 if it has no limit.
func (s *Sources) Memory() uint64 {
	if s.memory == nil {
		return 0
	}
	return s.memory.bytes
}

// flag returns a setting of the server, nil if it has none of that name.
func (s *Sources) flag(name string) *kong.Flag {
	i := slices.IndexFunc(s.server.Flags, func(f *kong.Flag) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return s.server.Flags[i]
}

func sizeOf(f *kong.Flag) Size { return f.Target.Interface().(Size) }

// lowest returns the lower bound of a size.
func lowest(f *kong.Flag) int64 {
	var least Size
	_ = least.UnmarshalText([]byte(f.Tag.Get("min"))) // a test parses all bounds
	return int64(least)
}
