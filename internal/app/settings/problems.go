package settings

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"tapedeck/internal/commandline"
)

// problem is an error of a setting.
type problem struct {
	line int // of the configuration file; 0 for the file as a whole
	err  error
}

// elsewhere is the line of problems that are not in the configuration file.
const elsewhere = math.MaxInt

// join returns one error with a line for each problem: the problems of the configuration file in
// the order of its lines, then the others by their text. It returns nil if there is none.
func join(problems []problem) error {
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.err.Error(), b.err.Error()))
	})
	lines := make([]string, 0, len(problems))
	for _, p := range problems {
		lines = append(lines, p.err.Error())
	}
	if len(lines) == 0 {
		return nil
	}
	return commandline.Errorf("%s", strings.Join(slices.Compact(lines), "\n"))
}

// wrong records the error of a setting.
func (s *Sources) wrong(name string, from Origin, err error) {
	s.problems = append(s.problems, problem{from.place(), err})
	s.refused[name] = true
}

// named matches the names of settings in a message.
var named = regexp.MustCompile(`--([a-z0-9]+(?:-[a-z0-9]+)*)`)

// conflict records the error of a check that names settings, with the origin of the first one that
// is set. It ignores the error if one of the settings has a problem of its own, since the check did
// not see the intended value.
func (s *Sources) conflict(err error) {
	from := Origin{Kind: FromDefault}
	for _, m := range named.FindAllStringSubmatch(err.Error(), -1) {
		if s.refused[m[1]] {
			return
		}
		if from.Kind == FromDefault {
			from = s.Of(m[1])
		}
	}
	if from.Kind == FromFile || from.Kind == FromEnvironment {
		err = fmt.Errorf("%s: %w", from, err)
	}
	s.problems = append(s.problems, problem{from.place(), err})
}

// flatten returns the errors of a joined error.
func flatten(err error) (list []error) {
	joined, is := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !is:
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		list = append(list, flatten(e)...)
	}
	return list
}
