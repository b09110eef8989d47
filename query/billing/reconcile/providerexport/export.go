package providerexport

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/shopspring/decimal"
)

// Options change how an export is read.
type Options struct {
	Provider string   // required provider of the export; "" for any
	Ignore   []string // unknown fields that are ignored instead of refused
	MaxCells int      // bound of the days and models; 0 means 200,000
}

// Export holds the sums of an export by day and model.
type Export struct {
	Provider string
	Kind     Kind
	Format   string
	Currency string // of costs
	// From and To are the first and the last day in UTC, as dates.
	From, To string
	Rows     uint64
	// HasMore says that the last page of the API states that more pages follow.
	HasMore bool

	maxCells     int
	displayNames bool
	buckets      map[Bucket]bool // that any row states
	cells        map[key]*cell
	named        uint64 // rows that name a model
}

type key struct{ day, model string }

type cell struct {
	counts [len(Buckets)]int64
	cost   decimal.Decimal
}

// defaultCells bounds the sums in memory.
const defaultCells = 200_000

// Read reads an export: CSV or JSON, detected by its first character. Errors are *Error or errors
// of the reader.
func Read(from io.Reader, o Options) (*Export, error) {
	e := &Export{buckets: map[Bucket]bool{}, cells: map[key]*cell{}, maxCells: cmp.Or(o.MaxCells, defaultCells)}
	in := newInput(from)
	buffered := bufio.NewReader(in)
	head, err := buffered.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	read := readCSV
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		read = readJSON
	}
	if err := read(e, buffered, in, o); err != nil {
		return nil, err
	}
	if e.From == "" {
		return nil, &Error{Why: "it has no usage: export a range with usage"}
	}
	return e, nil
}

const byteOrderMark = "\ufeff"

// begin sets the format of the rows that follow.
func (e *Export) begin(f *format, o Options, line int) error {
	if f == nil {
		return &Error{Line: line,
			Why: "no known export has these fields: OpenAI's have start_time, Anthropic's starting_at or usage_date_utc"}
	}
	if o.Provider != "" && o.Provider != f.provider {
		return &Error{Line: line,
			Why: fmt.Sprintf("it is an export of %s (%s), not of %s", f.provider, f.name, o.Provider)}
	}
	if e.Format != "" && e.Format != f.name {
		return &Error{Line: line, Why: fmt.Sprintf("a page of another export follows: %s after %s", f.name, e.Format)}
	}
	e.Format, e.Provider, e.Kind, e.displayNames = f.name, f.provider, f.kind, f.displayNames
	return nil
}

// check compares the field names of a row with those of the format.
func check(f *format, fields []string, o Options, fail func(field, format string, args ...any)) {
	for _, name := range f.required {
		if !slices.Contains(fields, name) {
			fail(name, "it is missing: %s has it", f.name)
		}
	}
	for _, name := range fields {
		if !f.knows(name) && !slices.Contains(o.Ignore, name) {
			fail(name, "it is not known in %s: name it with --ignore to leave it out", f.name)
		}
	}
}

// cover extends the range to include a day.
func (e *Export) cover(date string) {
	if e.From == "" || date < e.From {
		e.From = date
	}
	e.To = max(e.To, date)
}

// add adds the entry of a row to the sums.
func (e *Export) add(n entry, r *row) {
	e.cover(n.day)
	e.Rows++
	if n.model != "" {
		e.named++
	}
	c := e.cells[key{n.day, n.model}]
	if c == nil {
		if len(e.cells) == e.maxCells {
			r.fail("", "it has more than %d days and models: export a shorter range", e.maxCells)
			return
		}
		c = &cell{}
		e.cells[key{n.day, n.model}] = c
	}
	for i, b := range Buckets {
		count, states := n.counts[b]
		if !states {
			continue
		}
		e.buckets[b] = true
		if c.counts[i] += count; c.counts[i] > maxCount {
			r.fail("", "the sum of %s of a day and model is above %.0f", b, float64(maxCount))
		}
	}
	if n.currency == "" {
		return
	}
	if e.Currency != "" && e.Currency != n.currency {
		r.fail("", "it holds costs in %s and %s: export one currency", e.Currency, n.currency)
	}
	e.Currency, e.buckets[Money] = n.currency, true
	c.cost = c.cost.Add(n.cost)
}
