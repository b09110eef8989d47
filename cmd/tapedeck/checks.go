package main

import (
	"context"
	"fmt"
	"time"

	"tapedeck/ingest/jetstream"
	"tapedeck/internal/console"
)

// checks runs the check of every part that this process needs.
func (n *node) checks(ctx context.Context) []check {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	all := []check{n.checkNATS()}
	all = append(all, n.checkJetStream(ctx)...)
	if n.db != nil {
		all = append(all, n.checkClickHouse(ctx)...)
	}
	if n.sink != nil {
		st := n.sink.Status()
		all = append(all, check{Part: "sink", OK: st.OK, Detail: st.Detail(), Do: st.Do, State: st})
	}
	if letters, bytes, err := n.dead.Count(ctx); err == nil { // an error shows in the check of JetStream
		// Dead letters need an operator, but do not make the process unready.
		c := check{Part: deadLettersPart, OK: letters == 0, Advisory: true, State: map[string]uint64{"blocks": letters, "bytes": bytes}}
		if letters > 0 {
			c.Detail = fmt.Sprintf("%s set aside: they could not be stored", console.Count(letters, "block"))
			c.Do = `"tapedeck dead-letters" lists them with the reason; they are retried after an upgrade and from time to time, at once by "tapedeck dead-letters retry"`
		}
		all = append(all, c)
	}
	if n.spool != nil {
		all = append(all, n.checkSpool(n.spool.State()), checkDisk(n.cfg.spoolDir, n.cfg.thresholds.MinDiskFree))
	}
	return all
}

// onlyTakes reports whether the process only takes recordings. Such a process works
// without NATS as long as its spool has room.
func (n *node) onlyTakes() bool { r := n.cfg.roles; return r.ingest && !r.sink && !r.api }

// onlyStores reports whether the process is only a sink.
func (n *node) onlyStores() bool { r := n.cfg.roles; return r.sink && !r.ingest && !r.api }

// whereRecordingGoes returns the end of a check's detail when blocks are not stored but
// recording continues; "" on a process that takes no recordings.
func (n *node) whereRecordingGoes(meanwhile string) string {
	if n.spool == nil {
		return ""
	}
	return "; recording goes on: blocks are durable in " + meanwhile
}

func (n *node) checkNATS() check {
	c := check{Part: "nats", OK: n.nc.IsConnected(), Advisory: n.onlyTakes(), Detail: n.nc.Status().String()}
	if !c.OK {
		c.Detail += n.whereRecordingGoes("the spool")
	}
	return c
}

// checkJetStream looks at the stream of blocks: whether it is there, how full it is,
// and how far the sink is behind.
func (n *node) checkJetStream(ctx context.Context) []check {
	if err := n.streams.Load(); err != nil {
		return []check{{Part: "jetstream", Advisory: n.onlyTakes(), Detail: (*err).Error() + n.whereRecordingGoes("the spool")}}
	}
	if !n.nc.IsConnected() {
		return nil // the check of NATS reports it
	}
	b, err := n.backlog.Read(ctx)
	if err != nil {
		return []check{{Part: "jetstream", Advisory: n.onlyTakes(), Detail: err.Error() + n.whereRecordingGoes("the spool")}}
	}
	return []check{n.checkFill(b), n.checkLag(b)}
}

// checkFill reports a stream of blocks that is nearly full. It is advisory, since
// recordings then go to the spool.
func (n *node) checkFill(b jetstream.Backlog) check {
	c := check{
		Part: "jetstream", OK: !n.cfg.thresholds.full(b.Fill()), Advisory: true, State: b,
		Detail: fmt.Sprintf("stream %s holds %s of %s", jetstream.StreamName, console.Bytes(b.Bytes), console.Bytes(b.Limit)),
	}
	if !c.OK {
		c.Detail += fmt.Sprintf(" (%.0f %%, and it takes nothing once it is full), %s", 100*b.Fill(), unstored(b)) + n.whereRecordingGoes("the spool meanwhile")
		c.Do = doAboutLag
	}
	return c
}

// checkLag reports blocks that have waited too long to be stored. It makes a process
// that is only a sink unready, and is advisory on others.
func (n *node) checkLag(b jetstream.Backlog) check {
	c := check{Part: "lag", OK: b.Age() <= n.cfg.thresholds.MaxLag, Advisory: !n.onlyStores(), State: b, Detail: unstored(b)}
	if !c.OK {
		c.Detail = "no sink is running, or it is behind: " + c.Detail + n.whereRecordingGoes("JetStream, and in the spool once that is full")
		c.Do = doAboutLag
	}
	return c
}

const doAboutLag = `start a sink ("tapedeck serve --role sink"; "tapedeck up" has one); on those that run, see the checks "sink" and "clickhouse" of their /readyz; ` +
	`if all are well, more sinks or a larger --max-bytes help`

// unstored describes how much JetStream holds that the sink has not stored.
func unstored(b jetstream.Backlog) string {
	if b.Unstored == 0 {
		return "all of it is stored"
	}
	return fmt.Sprintf("%s of blocks (about %s) not stored, the oldest for %s",
		console.Count(b.Unstored, "message"), console.Bytes(b.UnstoredBytes), b.Age().Round(time.Second))
}
