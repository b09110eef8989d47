package assert

import (
	"encoding/xml"
	"fmt"
	"io"

	"tapedeck/internal/console"
)

// suite is a test suite in the format of JUnit.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Name      string   `xml:"name,attr"`
	ClassName string   `xml:"classname,attr"`
	Failure   *failure `xml:"failure"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a result in the format of JUnit: an assertion is a test case.
func WriteJUnit(w io.Writer, r *Result) error {
	s := suite{Name: clean(r.Recording), Tests: len(r.Assertions), Failures: r.Failed()}
	for i := range r.Assertions {
		a := &r.Assertions[i]
		c := testCase{Name: clean(a.Name), ClassName: clean(r.Recording)}
		if !a.Passed {
			text := fmt.Sprintf("expected: %s\nactual: %s\n", a.Expected, a.Actual)
			if where := a.At.Text(); where != "" {
				text += "at: " + where + "\n"
			}
			if a.At != nil && a.At.Position != "" {
				text += "position: " + a.At.Position + "\n"
			}
			c.Failure = &failure{clean(fmt.Sprintf("expected %s, found %s", a.Expected, a.Actual)), "assertion", clean(text)}
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   *suite
	}{Suite: &s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// clean escapes what XML cannot hold.
func clean(text string) string { return console.Visible(text, "\n\t") }
