package bench

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// page is Markdown that is being written.
type page struct {
	b strings.Builder
}

// text adds a paragraph or a heading.
func (p *page) text(format string, args ...any) {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	fmt.Fprintf(&p.b, format+"\n", args...)
}

// table begins a table, with the lines of its head.
func (p *page) table(head, align string) { p.text("%s\n%s", head, align) }

// row adds a row to the table.
func (p *page) row(cells ...string) {
	p.b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

const unknown = "–"

// count writes a number with separators.
func count(n float64) string { return humanize.Comma(int64(math.Round(n))) }

// median writes the median rate and, of several, their range.
func (r Laps) median() string {
	text := count(r.Median().Rate())
	if len(r) > 1 {
		low, high := r.Range()
		text += fmt.Sprintf(" (%s–%s)", count(low.Rate()), count(high.Rate()))
	}
	return text
}

// megabytes writes bytes per second.
func megabytes(rate float64) string { return fmt.Sprintf("%.1f MB/s", rate/1e6) }

// megabytesOf writes bytes of memory.
func megabytesOf(n uint64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

// cpuSeconds writes CPU-seconds per million frames.
func cpuSeconds(cpu time.Duration, frames uint64) string {
	if cpu <= 0 || frames == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f", perMillion(cpu, frames))
}

// millis writes a delay.
func millis(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1e3)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
