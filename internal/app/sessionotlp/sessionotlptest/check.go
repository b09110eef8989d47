// Package sessionotlptest checks spans against the OpenTelemetry semantic conventions for generative AI, as a
// receiver got them.
package sessionotlptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Deviations returns what of a span is not as the conventions define it, in order; nothing if all is. A span without
// an operation is a step of an agent, which the conventions do not know: it may only name its agent and conversation,
// and have tokens and content as a span of an agent.
func Deviations(span ptrace.Span) []string {
	c := &check{values: span.Attributes().AsRaw()}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		v, _ := span.Attributes().Get(key)
		c.attribute(key, v)
	}
	operation, hasOperation := c.values["gen_ai.operation.name"].(string)
	d, known := spanDefinitions[operation]
	switch {
	case known:
		c.span(span, operation, &d)
	case hasOperation:
		c.add("operation %q: exported spans have no such operation", operation)
	default:
		c.step(span)
	}
	c.status(span)
	c.tokens()
	c.messages()
	return c.found
}

type check struct {
	values map[string]any
	found  []string
}

func (c *check) add(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// attribute checks name, type and value of an attribute. Attributes of tapedeck itself are texts.
func (c *check) attribute(key string, v pcommon.Value) {
	d, ok := registry[key]
	if !ok && strings.HasPrefix(key, "tapedeck.") {
		d, ok = definition{Type: aText}, true
	}
	if !ok {
		c.add("%s: the conventions have no such attribute", key)
		return
	}
	if got := typeOf(v); got != d.Type && d.Type != anyValue {
		c.add("%s: its type is %s, and is %s in the conventions", key, got, d.Type)
	} else if v.Type() == pcommon.ValueTypeStr && v.Str() == "" {
		c.add("%s: it is empty", key)
	} else if len(d.Values) > 0 && !slices.Contains(d.Values, v.Str()) {
		c.add("%s: %q is no value of the conventions", key, v.Str())
	}
}

func typeOf(v pcommon.Value) valueType {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return aText
	case pcommon.ValueTypeInt:
		return anInteger
	case pcommon.ValueTypeDouble:
		return aNumber
	case pcommon.ValueTypeBool:
		return aBoolean
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			if item.Type() != pcommon.ValueTypeStr {
				return "a list of others"
			}
		}
		return aList
	}
	return valueType(v.Type().String())
}

// span checks the kind, the name and the set of attributes of a span of an operation.
func (c *check) span(span ptrace.Span, operation string, d *spanDefinition) {
	if span.Kind() != d.Kind {
		c.add("kind %s, that of %s is %s", span.Kind(), d.Type, d.Kind)
	}
	name := operation
	if object, _ := c.values[d.Object].(string); object != "" {
		name += " " + object
	}
	if span.Name() != name {
		c.add("name %q, that of %s is %q", span.Name(), d.Type, name)
	}
	for _, key := range d.Required {
		if c.values[key] == nil {
			c.add("%s is missing, which %s requires", key, d.Type)
		}
	}
	allowed := slices.Concat([]string{"gen_ai.operation.name"}, d.Required, d.Has, d.Added)
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if registry[key].Type != "" && !slices.Contains(allowed, key) {
			c.add("%s is no attribute of %s", key, d.Type)
		}
	}
}

func (c *check) step(span ptrace.Span) {
	if span.Kind() != ptrace.SpanKindInternal {
		c.add("kind %s of a step, which is internal", span.Kind())
	}
	d := spanDefinitions["invoke_agent"]
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if registry[key].Type != "" && !slices.Contains(slices.Concat(d.Has, d.Added), key) {
			c.add("%s is no attribute of a step", key)
		}
	}
}

// status checks that failed spans have an error and others nothing: a success leaves the status unset.
func (c *check) status(span ptrace.Span) {
	_, hasType := c.values["error.type"]
	switch code := span.Status().Code(); {
	case code == ptrace.StatusCodeOk:
		c.add("status Ok: the conventions leave it unset")
	case (code == ptrace.StatusCodeError) != hasType:
		c.add("status %s with error.type %v", code, c.values["error.type"])
	case code == ptrace.StatusCodeUnset && span.Status().Message() != "":
		c.add("a message in a status that is unset")
	}
	if span.EndTimestamp() < span.StartTimestamp() {
		c.add("it ends before it starts")
	}
}

// tokens checks that parts are no more than the wholes that contain them, and that only streams have a first chunk.
func (c *check) tokens() {
	n := func(key string) int64 {
		count, _ := c.values["gen_ai.usage."+key].(int64)
		return count
	}
	if n("cache_read.input_tokens")+n("cache_write.input_tokens") > n("input_tokens") {
		c.add("more tokens of a cache than of the input")
	}
	if n("reasoning.output_tokens") > n("output_tokens") {
		c.add("more tokens of reasoning than of the output")
	}
	if c.values["gen_ai.response.time_to_first_chunk"] != nil && c.values["gen_ai.request.stream"] != true {
		c.add("a first chunk without a stream")
	}
}
