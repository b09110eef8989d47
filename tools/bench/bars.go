package bench

import (
	"math"
	"time"
)

// Bar is the target for a figure. Unit selects the format of both; see unitText.
type Bar struct {
	Name     string  `json:"name"`
	AtMost   bool    `json:"at_most,omitempty"` // the figure must be at most Want; otherwise at least
	Want     float64 `json:"want"`
	Got      float64 `json:"got"`
	Unit     string  `json:"unit"`
	Measured bool    `json:"measured"`
}

// Verdict returns the result of comparing the figure with its bar.
func (b Bar) Verdict() string {
	switch {
	case !b.Measured:
		return "not measured"
	case b.AtMost && b.Got <= b.Want, !b.AtMost && b.Got >= b.Want:
		return "reached"
	}
	return "not reached"
}

// bars is a list of bars of the same unit or of several.
type bars []Bar

// add adds a bar. If the figure was not measured, got is ignored.
func (l *bars) add(b Bar) {
	if !b.Measured || math.IsNaN(b.Got) || math.IsInf(b.Got, 0) {
		b.Got, b.Measured = 0, false
	}
	*l = append(*l, b)
}

func (l *bars) atLeast(name, unit string, measured bool, got, want float64) {
	l.add(Bar{Name: name, Unit: unit, Measured: measured, Got: got, Want: want})
}

func (l *bars) atMost(name, unit string, measured bool, got, want float64) {
	l.add(Bar{Name: name, Unit: unit, Measured: measured, Got: got, Want: want, AtMost: true})
}

// within adds a bar for a delay that must be at most want.
func (l *bars) within(name string, measured bool, got, want time.Duration) {
	l.atMost(name, "delay", measured, float64(got), float64(want))
}

// Sizes for which the bars are defined.
const (
	barStored   = 10_000_000 // frames in the store while sessions are opened
	barIdle     = 10_000     // idle streams
	barBusy     = 1000       // busy streams
	barSessions = 1000       // playbacks at once, or sessions that alerts observe
	longSession = 1_000_000  // frames of the long session
	barTexts    = textFrames // frames of long texts
	barHome     = homeBytes  // bytes of a home
)

// bars compares the results with their targets. It includes the bars of parts that were not
// measured.
func (r *Results) bars() []Bar {
	var l bars
	r.recordingBars(&l)
	r.byteBars(&l)
	r.streamBars(&l)
	r.alertBars(&l)
	r.playingBars(&l)
	var multiple float64
	if r.Peer != nil && r.Peer.Notice == "" {
		multiple = r.Peer.Multiple()
	}
	l.atLeast("end to end, of Benthos", "times", multiple > 0, multiple, 25)
	return l
}

func (r *Results) recordingBars(l *bars) {
	var rate float64
	if r.EndToEnd != nil {
		rate = r.EndToEnd.Median().Rate()
	}
	l.atLeast("end to end, frames/s", "count", rate > 0, rate, 200_000)
	l.atLeast("end to end, frames/s: the aim", "count", rate > 0, rate, 350_000)
	for i, name := range []string{"redaction on, of the rate without it", "redaction on, of the rate without it: long texts"} {
		var share float64
		if i < len(r.Redaction) {
			share = r.Redaction[i].Ratio().Median
		}
		l.atLeast(name, "ratio", share > 0, share, 0.9)
	}
	var publish, sink, disk float64
	if p := r.Publish; p != nil {
		publish = p.Share(p.File)
	}
	if r.Sink != nil {
		sink, disk = r.Sink.Ratio(), r.Sink.FrameBytes()
	}
	l.atLeast("publish, of raw JetStream's bytes/s", "ratio", publish > 0, publish, 0.5)
	l.atLeast("sink, of ClickHouse alone", "ratio", sink > 0, sink, 0.25)
	l.atMost("bytes per frame on disk", "bytes", disk > 0, disk, 15)
	var fastest DelayAt
	if n := len(r.Delay); n > 0 {
		fastest = r.Delay[n-1]
	}
	l.within("tap → live tail, p99 at 20,000 frames/s", fastest.Live.Count > 0, fastest.Live.P99, 25*time.Millisecond)
	l.within("tap → query, p99 at 20,000 frames/s", fastest.Query.Count > 0, fastest.Query.P99, 1500*time.Millisecond)
}

// byteBars adds the bars of long texts, of which the worse workload counts, and of a home.
func (r *Results) byteBars(l *bars) {
	var slowest, worst float64
	texts := 0
	for _, name := range []string{shortTexts, longTexts} {
		m := r.workload(name).Median()
		if m.Frames < barTexts {
			continue
		}
		if rate := m.ByteRate(); texts == 0 || rate < slowest {
			slowest = rate
		}
		worst = max(worst, m.Factor())
		texts++
	}
	l.atLeast("texts of 4 KB, until stored", "rate", texts == 2, slowest, 40e6)
	l.atLeast("texts of 4 KB, until stored: the aim", "rate", texts == 2, slowest, 80e6)
	l.atMost("texts of 4 KB, ClickHouse's CPU time, of the plain insert", "times", texts == 2 && worst > 0, worst, 4)
	l.atMost("texts of 4 KB, ClickHouse's CPU time: the aim", "times", texts == 2 && worst > 0, worst, 2)
	home := r.workload(agentHome).Median()
	full := home.Bytes >= barHome
	l.atLeast("first sync of a home, until stored", "rate", full, home.ByteRate(), 40e6)
	l.atLeast("first sync of a home, until stored: the aim", "rate", full, home.ByteRate(), 100e6)
	l.atMost("first sync of a home, CPU-seconds per GB", "per GB", full && home.CPU > 0, home.PerGB(), 25)
	spans := r.workload(otlpSpans).Median()
	all := spans.Frames >= spanRequests
	rate := float64(spans.Frames*spansOfOne) / max(spans.Durable.Seconds(), 1e-9)
	l.atLeast("OTLP in, spans of 1 KB a second, until durable", "count", all, rate, 20_000)
	l.atLeast("OTLP in, spans of 1 KB a second: the aim", "count", all, rate, 60_000)
	l.atMost("first sync of a home, CPU-seconds per GB: the aim", "per GB", full && home.CPU > 0, home.PerGB(), 12)
}

func (r *Results) streamBars(l *bars) {
	var p50, p99 time.Duration // of the worse case
	if r.Proxy != nil {
		for _, c := range r.Proxy.Chunks {
			p50, p99 = max(p50, c.Added50()), max(p99, c.Added99())
		}
	}
	l.within("proxy, added to a chunk, p50", r.Proxy != nil, p50, 200*time.Microsecond)
	l.within("proxy, added to a chunk, p99", r.Proxy != nil, p99, 2*time.Millisecond)
	var idle IdleStreams
	var busy BusyStreams
	if r.Streams != nil {
		idle, busy = r.Streams.Idle, r.Streams.Busy
	}
	l.atMost("10,000 idle streams, memory", "megabytes", idle.Known && idle.AtRest > 0 && idle.Streams >= barIdle,
		float64(idle.AtRest), 400e6)
	l.atMost("1,000 streams at 20 frames/s, frames lost", "count", busy.Sent > 0 && busy.Streams >= barBusy,
		float64(busy.Lost()), 0)
}

func (r *Results) alertBars(l *bars) {
	var a Alerts
	if r.Alerts != nil {
		a = *r.Alerts
	}
	all := a.Sessions >= barSessions
	l.within("alert of a tool that hangs, until the webhook has it", all && a.Delay.Count > 0, a.Delay.Max, 3*time.Second)
	l.within("alert of a tool that hangs: the aim", all && a.Delay.Count > 0, a.Delay.Max, time.Second)
	l.atMost("rules of alerts, 1,000 live sessions at 20 frames/s, of a core", "ratio", all && a.Known, a.Cores(), 0.1)
	l.atMost("rules of alerts: the aim", "ratio", all && a.Known, a.Cores(), 0.03)
}

func (r *Results) playingBars(l *bars) {
	var p Playing
	var slowest Pass // of the two modes
	if r.Playing != nil {
		p = *r.Playing
		if slowest = p.Event.Median(); p.Raw.Median().Rate() < slowest.Rate() {
			slowest = p.Raw.Median()
		}
	}
	many := p.Many.Sessions >= barSessions && p.Many.Late.Count > 0
	maximal := slowest.Frames >= longSession
	l.within("player, one session at speed 1, late, p99", p.Alone.Count > 0, p.Alone.P99, 2*time.Millisecond)
	l.within("player, one session: the aim", p.Alone.Count > 0, p.Alone.P99, 500*time.Microsecond)
	l.within("player, 1,000 sessions at 50 frames/s, late, p99", many, p.Many.Late.P99, 20*time.Millisecond)
	l.within("player, 1,000 sessions: the aim", many, p.Many.Late.P99, 5*time.Millisecond)
	l.atMost("player, memory for each of 1,000 sessions", "kibibytes", many && p.Many.Known, p.Many.Each(), 256<<10)
	l.atMost("player, memory: the aim", "kibibytes", many && p.Many.Known, p.Many.Each(), 64<<10)
	l.atLeast("player, speed=max over NDJSON, frames/s", "count", maximal, slowest.Rate(), 200_000)
	l.atLeast("player, speed=max: the aim", "count", maximal, slowest.Rate(), 500_000)
	var o Openings
	if r.Openings != nil {
		o = *r.Openings
	}
	opened, sought := o.Stored >= barStored && o.Open.Count > 0, o.Long >= longSession && o.Seek.Count > 0
	worst := max(o.Open.P99, o.AtFrame.P99, o.AtTime.P99)
	l.within("first frame after opening, 10 million frames stored, p99", opened, worst, 100*time.Millisecond)
	l.within("first frame after opening: the aim", opened, worst, 30*time.Millisecond)
	l.within("first frame after a seek, session of a million, p99", sought, o.Seek.P99, 50*time.Millisecond)
	var d Drift
	if r.Drift != nil {
		d = *r.Drift
	}
	l.within("player, drift in ten minutes", d.Length >= 10*time.Minute, (d.Last - d.First).Abs(), 2*time.Millisecond)
}

func (r *FollowReport) bars() []Bar {
	var l bars
	for _, f := range r.Runs {
		if f.Loops == 0 {
			continue
		}
		name := f.String() + ", p99"
		l.within(name, f.Delay.Count > 0, f.Delay.P99, 500*time.Millisecond)
		l.within(name+": the aim", f.Delay.Count > 0, f.Delay.P99, 150*time.Millisecond)
	}
	return l
}
