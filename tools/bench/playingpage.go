package bench

import (
	"fmt"
	"time"
)

func (s *playing) write(p *page) {
	p.text("`tapedeck serve --role api`, a process of its own, plays sessions over SSE out of ClickHouse at speed 1: frames of about 140 bytes, 50 a\n" +
		"second with uneven gaps, one message each (`mode=event`). The clients are in the process that measures; what they take of the\n" +
		"processors is taken from the server. How late a frame is counts from the schedule that the session's earliest frame sets, up to its\n" +
		"id being read by the client.")
	p.table("| sessions at once | frames | p50 | p90 | p99 | p99.9 | most |", "|---:|---:|---:|---:|---:|---:|---:|")
	for _, of := range []struct {
		sessions int
		late     Delays
	}{{1, s.alone}, {s.many.sessions, s.many.late}} {
		row := []string{count(float64(of.sessions)), count(float64(len(of.late)))}
		for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
			row = append(row, millis(of.late.At(q)))
		}
		p.row(row...)
	}
	m := &s.many
	cores := func(d time.Duration) string { return known(m.known, fmt.Sprintf("%.2f", d.Seconds()/m.took.Seconds())) }
	p.text("While %s sessions are played:", count(float64(m.sessions)))
	p.table("| | |", "|---|---:|")
	p.row("CPU of the server, in cores", cores(m.cpu))
	p.row("CPU of ClickHouse", cores(m.engine))
	p.row("CPU of the clients", cores(m.clients))
	p.row("memory of the server before", known(m.known, megabytesOf(m.before)))
	p.row("memory of the server at the highest", known(m.known, megabytesOf(m.most)))
	p.row("memory for each session", known(m.known, kibibytes(m.each())))
	p.text("One session of %s frames at `speed=max` over NDJSON, from the request to the last line; and its tape file (`tapedeck export`) by\n"+
		"`tapedeck play FILE --format ndjson --speed max`, the start of the process included:", count(float64(s.event.Median().Frames)))
	p.table("| | frames/s | bytes/s |", "|---|---:|---:|")
	for _, row := range []struct {
		name string
		laps Laps
	}{{"`mode=event`", s.event}, {"`mode=raw`", s.raw}, {"tape file, without a server", s.file}} {
		p.row(row.name, row.laps.median(), megabytes(row.laps.Median().ByteRate()))
	}
}

// kibibytes writes bytes of memory.
func kibibytes(n float64) string { return fmt.Sprintf("%.0f KiB", n/1024) }

const (
	manySessions = 1000
	longSession  = 1_000_000
)

func (s *playing) bars() []bar {
	text := func(x float64) string { return millis(time.Duration(x)) }
	var slowest Lap // of the two modes
	slowest.Took = time.Second
	for i, laps := range []Laps{s.event, s.raw} {
		if len(laps) > 0 && (i == 0 || laps.Median().Rate() < slowest.Rate()) {
			slowest = laps.Median()
		}
	}
	m, late := &s.many, s.many.late.At(0.99)
	full := m.sessions >= manySessions && len(m.late) > 0
	maxed := slowest.Frames >= longSession
	return []bar{
		atMost("player, one session at speed 1, late, p99", len(s.alone) > 0, float64(s.alone.At(0.99)), float64(2*time.Millisecond), text),
		atMost("player, one session: the aim", len(s.alone) > 0, float64(s.alone.At(0.99)), float64(500*time.Microsecond), text),
		atMost("player, 1,000 sessions at 50 frames/s, late, p99", full, float64(late), float64(20*time.Millisecond), text),
		atMost("player, 1,000 sessions: the aim", full, float64(late), float64(5*time.Millisecond), text),
		atMost("player, memory for each of 1,000 sessions", full && m.known, m.each(), 256<<10, kibibytes),
		atMost("player, memory: the aim", full && m.known, m.each(), 64<<10, kibibytes),
		atLeast("player, speed=max over NDJSON, frames/s", maxed, slowest.Rate(), 200_000, count),
		atLeast("player, speed=max: the aim", maxed, slowest.Rate(), 500_000, count),
	}
}
