package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/replay/player"
)

// help describes the keys.
var help = [][2]string{
	{"space", "pause, go on; at the end: once more"},
	{"← →", "5 seconds back, forward"},
	{"↑ ↓", "the tool or run before, after"},
	{". ,", "one frame on, one back"},
	{"+ -", "faster, slower"},
	{"0 – 9", "to so many tenths of the recording"},
	{"g", "go to a place: +12.5s, type:tool_call, a position"},
	{"m", "stop at every frame of a type; again: no more"},
	{"l", "loop"},
	{"i", "cut silences to 2 s"},
	{"f", "frames as they come, or the conversation"},
	{"Home End", "to the start, to the end; live: to what happens now"},
	{"?", "this help"},
	{"q", "quit"},
}

func helpRows() (rows []row) {
	rows = append(rows, nil, row{{"  Keys", bold}}, nil)
	for _, h := range help {
		rows = append(rows, row{{"  " + h[0] + strings.Repeat(" ", 12-extent(h[0])), active}, {h[1], plain}})
	}
	return rows
}

// statusLines holds the data of the status lines.
type statusLines struct {
	title  string
	prompt *prompt
	note   string // an error or a hint
}

// clock formats a recorded time: m:ss.t, with hours if necessary.
func clock(d time.Duration) string {
	d = max(d, 0).Truncate(100 * time.Millisecond)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, (d % time.Minute).Seconds()
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%04.1f", h, m, s)
	}
	return fmt.Sprintf("%d:%04.1f", m, s)
}

func (b *statusLines) head(s *Story, d *playback, width int) row {
	left := row{{" " + b.title, bold}}
	text := fmt.Sprintf("%s of the recording ", clock(d.duration))
	if d.live {
		text = "live "
	}
	return append(left, piece{strings.Repeat(" ", max(width-left.extent()-extent(text), 1)), plain}, piece{text, dim})
}

// progress renders the current place, with a mark at the start of each tool call and run.
func (b *statusLines) progress(s *Story, d *playback, now time.Duration, width int) row {
	sign, look := "▶", good
	switch {
	case d.state == "ended":
		sign, look = "■", bold
	case d.state == "paused":
		sign, look = "⏸", active
	case d.live:
		sign, look = "●", bad
	}
	speed := d.speed.String()
	if d.speed != player.Max {
		speed += "×"
	}
	before, after := fmt.Sprintf(" %s ", clock(now)), fmt.Sprintf(" %s  %s ", clock(d.duration), speed)
	bar := max(width-4-extent(before)-extent(after), 4)
	cells := []rune(strings.Repeat("─", bar))
	cell := func(at time.Duration) int {
		if d.duration <= 0 {
			return 0
		}
		return min(max(int(float64(at)/float64(d.duration)*float64(bar)), 0), bar-1)
	}
	for _, at := range s.turns {
		cells[cell(time.Duration(at-s.start))] = '┼'
	}
	here := cell(now)
	for i := range here {
		cells[i] = map[rune]rune{'─': '━', '┼': '╋'}[cells[i]]
	}
	return row{
		{" " + sign, look}, {before, bold}, {string(cells[:here]), look}, {"●", bold},
		{string(cells[here+1:]), dim}, {after, plain},
	}
}

// foot renders counts on the left and settings on the right, or the prompt. The counts end with the
// position of the last frame if frames are shown and it fits.
func (b *statusLines) foot(s *Story, d *playback, now time.Duration, width int, frames bool) row {
	if b.prompt != nil {
		return row{{" " + b.prompt.label + ": ", active}, {console.Visible(b.prompt.text, ""), bold}, {"█", dim},
			{"  " + b.prompt.hint, dim}}
	}
	if b.note != "" {
		return row{{" " + oneLine(b.note), note}}
	}
	var facts []string
	if n := s.tokens(s.start + int64(now)); n.Sum() > 0 {
		facts = append(facts, "in "+thousands(n.Input))
		if cached := n.CacheRead + n.CacheWrite5m + n.CacheWrite1h; cached > 0 {
			facts = append(facts, "cached "+thousands(cached))
		}
		facts = append(facts, "out "+thousands(n.Output+n.Reasoning))
	}
	if d.last != "" {
		facts = append(facts, oneLine(d.last))
	}
	var set []string
	if d.looping {
		set = append(set, "loop")
	}
	if d.idle > 0 {
		set = append(set, "silence ≤ "+d.idle.String())
	}
	if d.marker != "" {
		set = append(set, "stops at "+oneLine(d.marker))
	}
	right := strings.Join(append(set, "? help "), " · ")
	if all := append(facts, d.position); frames && d.position != "" && extent(strings.Join(all, " · ")+right)+4 <= width {
		facts = all
	}
	left := cut(" "+strings.Join(facts, " · "), width-extent(right)-2)
	gap := max(width-extent(left)-extent(right), 1)
	return row{{left, plain}, {strings.Repeat(" ", gap), plain}, {right, dim}}
}

// frameRows renders the latest frames.
func frameRows(d *playback, height int) (rows []row) {
	for _, m := range d.log[max(len(d.log)-height, 0):] {
		arrow := "←"
		if m.Direction == "send" {
			arrow = "→"
		}
		kind := cut(oneLine(m.Type), 20)
		rows = append(rows, row{
			{fmt.Sprintf("%10s ", clock(m.offset())), dim}, {arrow + " ", dim},
			{kind + strings.Repeat(" ", max(21-extent(kind), 1)), active}, {oneLine(m.Text), plain},
		})
	}
	return rows
}

// thousands formats a number with thousands separators.
func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
