package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/schema"
)

const (
	margin      = 2 // columns before the text
	resultLines = 8 // lines shown of a tool's result, and of its output
)

// lastCalls bounds the model calls that waiting searches; earlier ones have ended.
const lastCalls = 1000

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spin returns the spinner at t, in played time.
func spin(t int64) string { return spinner[t/int64(100*time.Millisecond)%int64(len(spinner))] }

// rows renders the story up to t, ns: as many of its last rows as fit.
func (s *Story) rows(t int64, width, height int) []row {
	var parts [][]row // from the last to the first
	count := 0
	add := func(rows []row) {
		parts = append(parts, rows)
		count += len(rows)
	}
	add(s.waiting(t))
	n := s.shown(t)
	for i := n - 1; i >= 0 && count < height; i-- {
		rows := s.entries[i].rows(t, width)
		if len(rows) == 0 {
			continue
		}
		if i > 0 && !(s.entries[i].kind == entryTool && s.entries[i-1].kind == entryTool) {
			rows = append([]row{nil}, rows...)
		}
		add(rows)
	}
	slices.Reverse(parts)
	all := slices.Concat(parts...)
	return all[max(len(all)-height, 0):]
}

// waiting renders the model calls that have no output yet.
func (s *Story) waiting(t int64) (rows []row) {
	for i := len(s.calls) - 1; i >= 0 && i >= len(s.calls)-lastCalls; i-- {
		c := s.calls[i]
		until := cmp.Or(c.FirstToken, c.Ended) // a call that is not streamed has output only at its end
		if c.Started == 0 || c.Started > t || until > 0 && until <= t {
			continue
		}
		name := c.Model
		if name == "" {
			name = c.Name
		}
		rows = append(rows, row{
			{strings.Repeat(" ", margin), plain}, {spin(t) + " ", active}, {"waiting for " + oneLine(name), dim},
			{"  " + elapsed(t-c.Started), dim},
		})
		if len(rows) == 3 {
			break
		}
	}
	if len(rows) > 0 {
		rows = append([]row{nil}, rows...)
	}
	return rows
}

// rows renders the entry at t.
func (e *entry) rows(t int64, width int) []row {
	switch e.kind {
	case entryTool:
		return e.tool(t, width)
	case entryBegin:
		return []row{{{"── run ", dim}, {oneLine(e.span.Name), bold},
			{" " + strings.Repeat("─", max(width-9-extent(oneLine(e.span.Name)), 2)), dim}}}
	case entryEnd:
		return e.end()
	}
	return e.said(t, width)
}

func (e *entry) end() []row {
	r := row{{"── run ", dim}}
	switch e.span.Status {
	case schema.StatusOK:
		r = append(r, piece{"ended", good})
	default:
		r = append(r, piece{string(e.span.Status), bad})
	}
	r = append(r, piece{" after " + elapsed(e.span.Ended-startOf(e.span)), dim})
	if e.span.Error != "" {
		r = append(r, piece{": " + oneLine(e.span.Error), bad})
	}
	return []row{r}
}

// said renders a message.
func (e *entry) said(t int64, width int) (rows []row) {
	text := strings.TrimRight(grown(e.message, t), " \n")
	if text == "" {
		return nil
	}
	look, head := plain, ""
	switch e.message.Kind {
	case schema.MessageUser:
		look, head = said, "user"
	case schema.MessageSystem:
		look, head = dim, "system"
	case schema.MessageThinking:
		look = think
	case schema.MessageError:
		look, head = bad, "error"
	case schema.MessageResult, schema.MessageOutput, schema.MessageArguments:
		look, head = dim,
			strings.TrimSpace(strings.ReplaceAll(string(e.message.Kind), "_", " ")+" "+oneLine(e.message.Name))
	}
	lines := wrap(console.WithoutBase64(text), width-2*margin)
	if head != "" {
		rows = append(rows, row{{head, look}})
	}
	if e.message.Kind == schema.MessageSystem || e.message.Kind == schema.MessageResult {
		lines = few(lines)
	}
	for _, l := range lines {
		rows = append(rows, row{{strings.Repeat(" ", margin), plain}, {l, bodyOf(look)}})
	}
	return rows
}

// bodyOf returns the style of the text below a heading.
func bodyOf(head style) style {
	if head == said {
		return bold
	}
	return head
}

// tool renders a tool call: its name and arguments, its outcome and result.
func (e *entry) tool(t int64, width int) []row {
	running := e.span.Ended == 0 || e.span.Ended > t
	sign, look := "✓", good
	took := e.span.Ended - startOf(e.span)
	switch {
	case running:
		sign, look, took = spin(t), active, t-startOf(e.span)
	case e.span.Status != schema.StatusOK:
		sign, look = "✗", bad
	}
	name := oneLine(e.span.Name)
	left := row{{strings.Repeat(" ", margin), plain}, {sign + " ", look}, {name, bold}}
	right := elapsed(took)
	if !running && e.span.Status != schema.StatusOK && e.span.Status != schema.StatusError {
		right = string(e.span.Status) + "  " + right
	}
	room := width - left.extent() - extent(right) - 4
	args := ""
	if room > 8 {
		args = cut("  "+oneLine(grown(e.args, t)), room)
	}
	left = append(left, piece{args, dim})
	gap := max(width-margin-left.extent()-extent(right), 1)
	rows := []row{append(left, piece{strings.Repeat(" ", gap), plain}, piece{right, look})}
	return append(rows, e.printed(t, width, running)...)
}

// printed renders the output of a tool, and its result when it has arrived.
func (e *entry) printed(t int64, width int, running bool) (rows []row) {
	add := func(text string, look style) {
		text = strings.TrimRight(text, " \n")
		if text == "" {
			return
		}
		lines := wrap(console.WithoutBase64(text), width-2*margin-2)
		if running {
			lines = lines[max(len(lines)-resultLines, 0):]
		}
		for _, l := range few(lines) {
			rows = append(rows, row{{strings.Repeat(" ", margin) + "│ ", dim}, {l, look}})
		}
	}
	printed, result := grown(e.output, t), grown(e.result, t)
	add(printed, dim)
	look := dim
	if !running && e.span.Status == schema.StatusError {
		look = bad
		if result == "" {
			result = e.span.Error
		}
	}
	if result != printed {
		add(result, look)
	}
	return rows
}

// few keeps the first lines, and adds a line with the number of the others.
func few(lines []string) []string {
	if len(lines) <= resultLines+1 {
		return lines
	}
	return append(lines[:resultLines:resultLines], fmt.Sprintf("… %d more lines", len(lines)-resultLines))
}

// oneLine makes a text fit on one line: white space of any kind becomes spaces.
func oneLine(s string) string {
	const most = 4000 // bytes; no line of a terminal is as long
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return console.Visible(strings.Join(strings.Fields(s), " "), "")
}

// elapsed formats a duration, ns.
func elapsed(ns int64) string {
	d := time.Duration(max(ns, 0))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
