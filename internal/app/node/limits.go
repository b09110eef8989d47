package node

import (
	"cmp"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/sink"
	"tapedeck/internal/app/health"
)

// SetThresholds sets the values beyond which checks fail.
func (n *Node) SetThresholds(t health.Thresholds) { n.limits.Store(&t) }

// thresholds returns the values beyond which checks fail.
func (n *Node) thresholds() *health.Thresholds {
	if t := n.limits.Load(); t != nil {
		return t
	}
	return &n.Thresholds
}

// SetRates sets the limits of what is recorded per second. Without the role ingest it does nothing.
func (n *Node) SetRates(r admission.Rates) {
	if n.Accepts != nil {
		n.Accepts.SetRates(r)
	}
}

// Redaction returns the rules for secrets in new recordings.
func (n *Node) Redaction() *redact.Engine {
	if e := n.redact.Load(); e != nil {
		return e
	}
	return cmp.Or(n.Redact, redact.Default())
}

// SetRedaction sets the rules for secrets in new recordings. Open streams keep their rules.
func (n *Node) SetRedaction(e *redact.Engine) {
	n.redact.Store(e)
	if n.Recorder != nil {
		n.Recorder.SetRedact(e)
	}
}

// sinkOptions returns the options of the sink.
func (n *Node) sinkOptions() sink.Options {
	o := n.Batches
	o.NATS, o.DSN, o.Keep, o.Version, o.Log = n.NATS, n.DSN, n.Streams.Keep, n.Version, n.Log
	o.Deleted, o.Complete = n.Deleted, n.Deleter.Sweep
	return o
}

// spoolOptions returns the options of the spool.
func (n *Node) spoolOptions(next ingest.Publisher) spool.Options {
	o := n.Spooling
	o.Dir, o.Next, o.Drop, o.Sync, o.Log = n.SpoolDir, next, admission.Dropped(n.Deleted), n.SyncSpool, n.Log
	return o
}
