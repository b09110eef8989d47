package bills

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/internal/problem"
)

// maxSplitLines bounds the lines of a bill whose lines are apart by the values of a tag.
const maxSplitLines = 20_000

// split adds up the rows of a bill by line and value of a tag. It is for bills that hold several
// customers, teams or projects. Closed bills keep their lines as they are: the split is made for
// the reader.
type split struct {
	tag    string
	lines  map[splitKey]*Line
	tagged bool // whether a row has the tag
}

type splitKey struct {
	line  lineKey
	value string
}

func newSplit(tag string) *split { return &split{tag: tag, lines: map[splitKey]*Line{}} }

// add adds a row. A row without the tag has the value "".
func (s *split) add(r *Row) error {
	value := r.Tags[s.tag]
	s.tagged = s.tagged || value != ""
	k := splitKey{keyOf(r), value}
	l := s.lines[k]
	if l == nil {
		if len(s.lines) == maxSplitLines {
			return problem.BadParameter("by", fmt.Sprintf(
				"The bill has more than %d lines by the tag %q: choose a tag with fewer values.", maxSplitLines, s.tag))
		}
		l = &Line{TagValue: value}
		s.lines[k] = l
	}
	l.add(r)
	return nil
}

// apply replaces the lines of the bill by those of the split. Exact costs add up to those of the
// bill's lines. So do amounts: each is the difference of two rounded sums, so that the bill has the
// same total however its lines are shown.
func (s *split) apply(b *Bill) error {
	if !s.tagged && b.Rows > 0 {
		return problem.BadParameter("by", fmt.Sprintf("No charge of the bill has the tag %q.", s.tag))
	}
	byLine := map[lineKey][]*Line{}
	for k, l := range s.lines {
		byLine[k.line] = append(byLine[k.line], l)
	}
	var lines []Line
	for i := range b.Lines {
		whole := &b.Lines[i]
		parts := byLine[whole.key()]
		slices.SortFunc(parts, func(x, y *Line) int { return cmp.Compare(x.TagValue, y.TagValue) })
		var sum, rounded decimal.Decimal
		for _, part := range parts {
			line := *whole
			line.TagValue, line.Quantity, line.Rows, line.Cost = part.TagValue, part.Quantity, part.Rows, part.Cost
			sum = sum.Add(part.Cost)
			upTo := sum.RoundBank(b.MinorUnits)
			line.Amount = upTo.Sub(rounded)
			rounded = upTo
			lines = append(lines, line)
		}
	}
	b.By, b.Lines = s.tag, lines
	return nil
}

// BillBy returns a closed bill whose lines are apart by the values of a tag; as it was closed if the
// tag is "".
func (s *Store) BillBy(ctx context.Context, tenant, number, tag string) (*Bill, error) {
	b, err := s.Bill(ctx, tenant, number)
	if err != nil || tag == "" {
		return b, err
	}
	by := newSplit(tag)
	if err := s.Rows(ctx, tenant, b, 0, 0, by.add); err != nil {
		return nil, err
	}
	return b, by.apply(b)
}
