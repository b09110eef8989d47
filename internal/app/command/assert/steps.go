package assert

import (
	"fmt"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/internal/console"
	"tapedeck/query/compare"
)

// sameSteps compares the recording with another one as "tapedeck diff" does. The differences that count
// are those of bisect. A is the other recording.
func (k *check) sameSteps(s *SameSteps, other *recording) error {
	found, err := compare.Between(&other.Recorded, &k.Recorded, compare.Query{A: s.As, B: k.name, Steps: compare.MostSteps, Row: -1})
	if err != nil {
		return err
	}
	expected := "the steps of " + s.As + " (A)"
	if s.Within > 0 {
		expected = fmt.Sprintf("the first %s of %s (A)", console.Count(s.Within, "step"), s.As)
	}
	actual := found.Summary.Sentence
	first := bisect.Counts(found.FirstDivergence, s.Within, s.Words)
	if first == nil && s.Within == 0 && (found.A.Truncated || found.B.Truncated) {
		k.add("same_steps", false, expected, fmt.Sprintf("only the first %d steps can be compared", compare.MostSteps), nil)
		return nil
	}
	k.add("same_steps", first == nil, expected, actual, k.difference(first))
	return nil
}

// difference returns the moment of a difference in this recording, or of the end if it lacks the step.
func (k *check) difference(first *compare.First) *Moment {
	if first == nil || first.B == nil {
		return k.end()
	}
	m := &Moment{OffsetMS: first.B.StartMS, Position: first.B.Position}
	if sp := k.spans[first.B.ID]; sp != nil {
		m.Span = k.spanMoment(sp).Span
	}
	return m
}
