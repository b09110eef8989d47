package node

import (
	"context"
	"fmt"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/health"
	"tapedeck/internal/console"
	"tapedeck/schema/cluster"
)

// readyTimeout bounds the request to each server.
const readyTimeout = 2 * time.Second

// Checks checks every part that this process needs.
func (n *Node) Checks(ctx context.Context) []health.Check {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	all := []health.Check{n.checkNATS()}
	all = append(all, n.checkJetStream(ctx)...)
	if n.DB != nil {
		all = append(all, n.checkClickHouse(ctx)...)
	}
	if c, is := n.DB.(*cluster.Conn); is {
		all = append(all, checkShards(ctx, c)...)
	}
	if c := n.schema.check.Load(); c != nil {
		all = append(all, *c)
	}
	if checks := n.probed.Load(); checks != nil {
		all = append(all, *checks...)
	}
	if n.sink != nil {
		st := n.sink.Status()
		all = append(all, health.Check{Part: "sink", OK: st.OK, Detail: st.Detail(), Do: st.Do, State: st})
	}
	if letters, bytes, err := n.DeadLetters.Count(ctx); err == nil { // the check of JetStream reports an error
		// Dead letters need an operator, but do not make the process unready.
		c := health.Check{Part: health.DeadLetters, OK: letters == 0, Advisory: true,
			State: map[string]uint64{"blocks": letters, "bytes": bytes}}
		if letters > 0 {
			c.Detail = fmt.Sprintf("%s set aside: they could not be stored", console.Count(letters, "block"))
			c.Do = `"tapedeck dead-letters" lists them with the reason; they are retried after an upgrade and from time to time, at once by "tapedeck dead-letters retry"`
		}
		all = append(all, c)
	}
	if n.Spool != nil {
		all = append(all, n.checkSpool(n.Spool.State()), health.Disk(n.SpoolDir, n.thresholds().MinDiskFree))
	}
	return all
}

// onlyTakes reports whether the process only ingests recordings. Such a process works without NATS
// while its spool has room.
func (n *Node) onlyTakes() bool { r := n.Roles; return r.Ingest && !r.Sink && !r.API }

// onlyStores reports whether the process is only a sink.
func (n *Node) onlyStores() bool { r := n.Roles; return r.Sink && !r.Ingest && !r.API }

// whereRecordingGoes returns the end of a check's detail when blocks are not stored but
// recording continues; "" on a process that ingests no recordings.
func (n *Node) whereRecordingGoes(meanwhile string) string {
	if n.Spool == nil {
		return ""
	}
	return "; recording goes on: blocks are durable in " + meanwhile
}

func (n *Node) checkNATS() health.Check {
	c := health.Check{Part: "nats", OK: n.NATS.IsConnected(), Advisory: n.onlyTakes(), Detail: n.NATS.Status().String()}
	if !c.OK {
		c.Detail += n.whereRecordingGoes("the spool")
	}
	return c
}

// checkJetStream checks the stream of blocks: whether it exists, how full it is,
// and the lag of the sink.
func (n *Node) checkJetStream(ctx context.Context) []health.Check {
	if err := n.missing.Load(); err != nil {
		return []health.Check{{Part: "jetstream", Advisory: n.onlyTakes(), Detail: (*err).Error() + n.whereRecordingGoes("the spool")}}
	}
	if !n.NATS.IsConnected() {
		return nil // the check of NATS reports it
	}
	b, err := n.Backlog.Read(ctx)
	if err != nil {
		return []health.Check{{Part: "jetstream", Advisory: n.onlyTakes(), Detail: err.Error() + n.whereRecordingGoes("the spool")}}
	}
	return []health.Check{n.checkFill(b), n.checkLag(b)}
}

// checkFill reports a stream of blocks that is nearly full. It is advisory, since
// recordings then go to the spool.
func (n *Node) checkFill(b jetstream.Backlog) health.Check {
	c := health.Check{
		Part: "jetstream", OK: !n.thresholds().Full(b.Fill), Advisory: true, State: b,
		Detail: fmt.Sprintf("stream %s holds %s of %s", jetstream.StreamName, console.Bytes(b.Bytes),
			console.Bytes(b.Limit)),
	}
	if b.Partitions > 1 {
		c.Detail = fmt.Sprintf("%d partitions hold %s of %s, the fullest %.0f %% of its share", b.Partitions, console.Bytes(b.Bytes),
			console.Bytes(b.Limit), 100*b.Fill)
	}
	if !c.OK {
		c.Detail += fmt.Sprintf(" (%.0f %%, and it takes nothing once it is full), %s", 100*b.Fill,
			unstored(b)) + n.whereRecordingGoes("the spool meanwhile")
		c.Do = doAboutLag
	}
	return c
}

// checkLag reports blocks that have waited too long to be stored. It makes a process
// that is only a sink unready, and is advisory on others.
func (n *Node) checkLag(b jetstream.Backlog) health.Check {
	c := health.Check{Part: "lag", OK: b.Age() <= n.thresholds().MaxLag, Advisory: !n.onlyStores(), State: b,
		Detail: unstored(b)}
	if !c.OK {
		c.Detail = "no sink is running, or it is behind: " + c.Detail + n.whereRecordingGoes("JetStream, and in the spool once that is full")
		c.Do = doAboutLag
	}
	return c
}

const doAboutLag = `start a sink ("tapedeck serve --role sink"; "tapedeck up" has one); on those that run, see the checks "sink" and "clickhouse" of their /readyz; ` +
	`if all are well, more sinks or a larger --max-bytes help`

// unstored describes the blocks in JetStream that the sink has not stored.
func unstored(b jetstream.Backlog) string {
	if b.Unstored == 0 {
		return "all of it is stored"
	}
	return fmt.Sprintf("%s of blocks (about %s) not stored, the oldest for %s",
		console.Count(b.Unstored, "message"), console.Bytes(b.UnstoredBytes), b.Age().Round(time.Second))
}
