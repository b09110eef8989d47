package node

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/health"
	"tapedeck/internal/console"
	"tapedeck/internal/local/engine"
	"tapedeck/schema/clickhouse"
)

// Oldest supported versions of NATS: the first one with all features that the streams use, and the
// first one with the features of durability "memory". engine.Oldest is that of ClickHouse.
const (
	oldestNATS       = "2.10"
	oldestNATSMemory = "2.12"
)

// Intervals at which versions and clocks are read: until all servers have answered, and afterwards.
const (
	probeSoon  = 2 * time.Second
	probeEvery = 30 * time.Second
)

// watchServers reads the versions, limits and clocks of servers until life ends. It logs each check
// of a server, and the check of the spool's disk, when the check begins to fail.
func (n *Node) watchServers(life context.Context) {
	failing := map[string]bool{}
	for {
		probed, whole := n.probe(life)
		if life.Err() != nil {
			return
		}
		n.probed.Store(&probed)
		checks := slices.Clone(probed)
		if n.Spool != nil {
			checks = append(checks, health.Disk(n.SpoolDir, n.thresholds().MinDiskFree))
		}
		for _, c := range checks {
			if !c.OK && !failing[c.Part] {
				n.Log.Warn("node: a check fails", "check", c.Part, "error", c.Detail, "do", c.Do)
			}
			failing[c.Part] = !c.OK
		}
		pause := probeEvery
		if !whole {
			pause = probeSoon
		}
		select {
		case <-life.Done():
			return
		case <-time.After(pause):
		}
	}
}

// probe checks the versions, limits and clocks of the servers that answer. whole reports whether
// all servers answered.
func (n *Node) probe(ctx context.Context) (checks []health.Check, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ahead := map[string]time.Duration{}
	var payload int64
	whole = true
	if h, err := clickhouse.ReadHealth(ctx, n.store); err == nil {
		ahead["ClickHouse"] = time.Duration(h.ClockMS * float64(time.Millisecond))
		if v, err := n.store.ServerVersion(); err == nil {
			text := fmt.Sprintf("%d.%d.%d", v.Version.Major, v.Version.Minor, v.Version.Patch)
			checks = append(checks, checkVersion("ClickHouse", text, engine.Oldest, "a server named by --clickhouse"))
		}
	} else {
		whole = false
	}
	if n.NATS.IsConnected() {
		checks = append(checks, checkVersion("NATS", n.NATS.ConnectedServerVersion(), n.oldestNATS(), "a server named by --nats"))
		payload = n.NATS.MaxPayload()
		if d, err := n.natsAhead(ctx); err == nil {
			ahead["NATS"] = d
		} else {
			whole = false
		}
	} else {
		whole = false
	}
	for i := range checks {
		checks[i].Advisory = n.onlyTakes() // the spool stores blocks meanwhile
	}
	if n.Roles.Ingest && payload > 0 && n.MaxFrame > 0 {
		checks = append(checks, checkPayload(payload, n.MaxFrame, n.Servers == ""))
	}
	return append(checks, checkClocks(ahead, n.thresholds().MaxClockSkew)), whole
}

func (n *Node) oldestNATS() string {
	if n.Streams.Durability == jetstream.Memory {
		return oldestNATSMemory
	}
	return oldestNATS
}

// natsAhead returns by how much the clock of NATS is ahead of this process's clock.
func (n *Node) natsAhead(ctx context.Context) (time.Duration, error) {
	js, err := njs.New(n.NATS)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	s, err := js.Stream(ctx, jetstream.StreamName)
	if err != nil {
		return 0, err
	}
	at := s.CachedInfo().TimeStamp
	if at.IsZero() {
		return 0, nil // the server reports no time
	}
	return at.Sub(began.Add(time.Since(began) / 2)), nil
}

// checkVersion checks the version of a server. A server that is too old makes the process unready.
func checkVersion(server, version, oldest, or string) health.Check {
	c := health.Check{Part: strings.ToLower(server) + "_version", OK: !older(version, oldest),
		Detail: server + " " + version}
	if !c.OK {
		c.Detail = fmt.Sprintf("%s %s is too old: %s or later is needed", server, version, oldest)
		c.Do = fmt.Sprintf("upgrade %s, or use %s", server, or)
	}
	return c
}

// payloadRoom is how much a message may have besides one frame: the header and the state of its
// block, and message headers.
const payloadRoom = 64 << 10

// checkPayload checks that NATS accepts a message with one frame of the maximum size. A smaller
// max_payload leaves the process ready, since only frames that do not compress are refused.
func checkPayload(payload int64, frame int, local bool) health.Check {
	c := health.Check{Part: "nats_payload", OK: payload >= int64(frame)+payloadRoom, Advisory: true,
		Detail: "NATS takes messages of " + console.Bytes(uint64(payload))}
	if !c.OK {
		c.Detail += fmt.Sprintf(" at most (max_payload), and a frame may have %s (--max-frame-bytes): recording "+
			"refuses a long frame that does not compress below that", console.Bytes(uint64(frame)))
		c.Do = "set max_payload of the NATS server to 20MB, or lower --max-frame-bytes"
		if local {
			c.Do = "lower --max-frame-bytes: longer frames are then recorded in pieces"
		} else if need := int64(frame) + payloadRoom; need > 20<<20 {
			c.Do = fmt.Sprintf("set max_payload of the NATS server above %s, or lower --max-frame-bytes",
				console.Bytes(uint64(need)))
		}
	}
	return c
}

// refusePayload returns an error if a NATS server that answers now takes no message with one frame
// of the maximum size. Otherwise some frames would be refused while they are recorded, after their
// agent has sent them. A NATS server that answers later is reported by checkPayload.
func (n *Node) refusePayload() error {
	if !n.Roles.Ingest || n.Servers == "" || n.MaxFrame == 0 || !n.NATS.IsConnected() {
		return nil
	}
	c := checkPayload(n.NATS.MaxPayload(), n.MaxFrame, false)
	if c.OK {
		return nil
	}
	return fmt.Errorf("%s: %s", c.Detail, c.Do)
}

// older reports whether a version precedes another one. A text that is not a version is not older.
func older(version, than string) bool {
	a, b := strings.Split(strings.TrimPrefix(version, "v"), "."), strings.Split(than, ".")
	for i := range min(len(a), len(b)) {
		x, err := strconv.Atoi(a[i])
		if err != nil {
			return false
		}
		if y, _ := strconv.Atoi(b[i]); x != y {
			return x < y
		}
	}
	return false
}

// checkClocks checks by how much the clocks of servers are ahead of this process's clock; 0
// disables the check.
func checkClocks(ahead map[string]time.Duration, most time.Duration) health.Check {
	c := health.Check{Part: "clock", OK: true, Advisory: true, Detail: "the clocks agree"}
	var wrong []string
	for server, d := range ahead {
		if most > 0 && d.Abs() > most {
			where := "ahead of"
			if d < 0 {
				where = "behind"
			}
			wrong = append(wrong, fmt.Sprintf("the clock of %s is %v %s the clock of this machine "+
				"(--max-clock-skew %v)", server, d.Abs().Round(time.Second), where, most))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		c.OK, c.Detail = false, strings.Join(wrong, "; ")
		c.Do = "set the clocks by NTP: frames have the time of the machine that records them, retention and reports that of ClickHouse"
	}
	return c
}

// noJetStream returns an error for a NATS server that cannot hold the streams; otherwise it returns
// err.
func (n *Node) noJetStream(err error) error {
	name := jetstream.RedactServers(n.Servers)
	if name == "" {
		name = "of this process"
	}
	if v := n.NATS.ConnectedServerVersion(); v != "" && older(v, n.oldestNATS()) {
		return fmt.Errorf("the NATS server %s is version %s, and %s or later is needed: upgrade it", name, v,
			n.oldestNATS())
	}
	if isNoJetStream(err) {
		return fmt.Errorf("the NATS server %s has no JetStream for this user: start it with -js, enable "+
			"JetStream for the account, or name another server with --nats", name)
	}
	return err
}
