package vercelui

import "tapedeck/schema"

// say adds to a text part. Parts begin with their first text: many are opened
// and closed without any.
func (d *decoder) say(kind schema.MessageKind, id, delta []byte) {
	if len(delta) == 0 {
		return
	}
	d.inRun()
	if d.talk.Growing(kind, id) == nil {
		if own := d.shared(string(kind)); own != "" {
			d.talk.BeginTextAs(kind, id, own)
		}
	}
	m := d.talk.Append(kind, id, delta)
	d.spoken()
	n := len(d.run.said)
	if n < saidLimit && (n == 0 || d.run.said[n-1] != m) {
		d.run.said = append(d.run.said, m)
	}
}

// spoken notes that the model has said something. Without steps it is not known
// when it was called, only when the run first gave something.
func (d *decoder) spoken() {
	d.inRun()
	d.run.spoke = d.Frame.At
	if d.talk.Call() != nil {
		d.talk.FirstToken()
		return
	}
	if run := d.talk.Run(); run.FirstToken == 0 {
		run.FirstToken = d.Frame.At
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}
