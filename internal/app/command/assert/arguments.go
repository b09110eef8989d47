package assert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// argument checks a value in the arguments of calls of a tool. It fails at the call that is asked for, at
// the first call that does not hold where every call must, or else at the last one.
func (k *check) argument(name string, a *Argument) {
	calls := k.callsOf(a.Tool)
	if len(calls) == 0 {
		k.add(name, false, a.expected(), "no call of "+a.Tool, nil)
		return
	}
	if a.Call > 0 {
		if a.Call > len(calls) {
			k.add(name, false, a.expected(), fmt.Sprintf("%s of %s", console.Count(len(calls), "call"), a.Tool), k.end())
			return
		}
		calls = calls[a.Call-1 : a.Call]
	}
	var actual string
	var last *spanmerge.Span
	for _, call := range calls {
		var holds bool
		holds, actual = a.holds(k.argumentsOf(call))
		last = call
		if holds != a.Every {
			k.add(name, holds, a.expected(), actual, k.spanMoment(call))
			return
		}
	}
	k.add(name, a.Every, a.expected(), actual, k.spanMoment(last))
}

// argumentsOf returns the arguments of a call as JSON; "" if none were recorded.
func (k *check) argumentsOf(call *spanmerge.Span) string {
	for i := range k.Messages {
		if m := &k.Messages[i]; m.Span == call.ID && m.Kind == schema.MessageArguments {
			return m.Text
		}
	}
	return ""
}

// holds reports whether one of the values at the path has what is asked for, and returns a description of
// the values.
func (a *Argument) holds(arguments string) (bool, string) {
	values := a.Path.Values([]byte(arguments))
	if len(values) == 0 {
		return false, "no value at " + a.PathText
	}
	for _, v := range values {
		if a.matches(v) {
			return true, console.Clip(string(v), 100)
		}
	}
	return false, console.Clip(string(bytes.Join(values, []byte(", "))), 100)
}

func (a *Argument) matches(value []byte) bool {
	text := string(value)
	if value[0] == '"' && json.Unmarshal(value, &text) != nil {
		return false
	}
	switch {
	case a.Equals != nil:
		v, err := decodeJSON(value)
		return err == nil && equalJSON(v, *a.Equals)
	case a.Matches != nil:
		return a.Matches.MatchString(text)
	}
	return strings.Contains(text, a.Contains)
}

func (a *Argument) expected() string {
	which := "a call of " + a.Tool
	switch {
	case a.Call > 0:
		which = fmt.Sprintf("call %d of %s", a.Call, a.Tool)
	case a.Every:
		which = "every call of " + a.Tool
	}
	what := " exists"
	switch {
	case a.Equals != nil:
		text, err := json.Marshal(*a.Equals)
		if err != nil {
			text = fmt.Append(nil, *a.Equals)
		}
		what = " is " + string(text)
	case a.Matches != nil:
		what = " matches " + strconv.Quote(a.Matches.String())
	case a.Contains != "":
		what = " contains " + strconv.Quote(a.Contains)
	}
	return console.Clip(which+": "+a.PathText+what, 200)
}
