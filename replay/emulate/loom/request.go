package loom

import (
	"fmt"
	"math"

	"github.com/valyala/fastjson"
)

// Limits of user_messages.
const (
	defaultMessages = 100
	mostMessages    = 1000
)

// check returns the error that a typed parser would return for a request.
func check(v *fastjson.Value, required ...string) error {
	for _, name := range required {
		m := v.Get(name)
		switch {
		case m == nil || m.Type() == fastjson.TypeNull:
			return fmt.Errorf("parse error: missing field `%s`", name)
		case name != "message" && m.Type() != fastjson.TypeString:
			return fmt.Errorf("parse error: field `%s` is not a string", name)
		}
	}
	return nil
}

// toolsList answers tools_list.
func (b *index) toolsList(v *fastjson.Value) ([]byte, error) {
	if err := check(v, "id"); err != nil {
		return nil, err
	}
	m := members{b: []byte("{")}
	m.text("type", "tools_list")
	m.add("id", v.Get("id"))
	list := []byte{'['}
	for i, name := range b.tools.names() {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, b.tools.spec(name)...)
	}
	m.raw("tools", append(list, ']'))
	return append(m.b, '}'), nil
}

// toolShow answers tool_show.
func (b *index) toolShow(v *fastjson.Value) ([]byte, error) {
	if err := check(v, "id", "name"); err != nil {
		return nil, err
	}
	output := "yaml"
	if o := v.Get("output"); o != nil && o.Type() != fastjson.TypeNull {
		output = text(o)
	}
	if output != "yaml" && output != "json" {
		return nil, fmt.Errorf("parse error: field `output` is neither \"yaml\" nor \"json\"")
	}
	spec := b.tools.spec(text(v, "name"))
	if spec == nil {
		return errorOf(text(v, "id"), "tool not found: "+text(v, "name")), nil
	}
	m := members{b: []byte("{")}
	m.text("type", "tool_show")
	m.add("id", v.Get("id"))
	if output == "json" {
		m.raw("tool", spec)
	} else {
		m.text("tool_yaml", yamlOf(spec))
	}
	return append(m.b, '}'), nil
}

// userMessages answers user_messages.
func (b *index) userMessages(v *fastjson.Value) ([]byte, error) {
	if err := check(v, "id", "thread_id"); err != nil {
		return nil, err
	}
	thread := text(v, "thread_id")
	if thread == "" {
		return errorOf(text(v, "id"), "thread_id is required"), nil
	}
	before, err := number(v, "before", math.MaxInt64)
	if err != nil {
		return nil, err
	}
	limit, err := number(v, "limit", defaultMessages)
	if err != nil {
		return nil, err
	}
	limit = min(limit, mostMessages)
	list := b.messages(thread)
	end := int(min(max(before-1, 0), int64(len(list)))) // the cursor counts from 1
	start := int(max(int64(end)-limit, 0))
	m := members{b: []byte("{")}
	m.text("type", "user_messages")
	m.add("id", v.Get("id"))
	m.text("thread_id", thread)
	out := []byte{'['}
	for i, said := range list[start:end] {
		if i > 0 {
			out = append(out, ',')
		}
		item := members{b: []byte("{")}
		item.text("role", said[0])
		item.text("content", said[1])
		out = append(append(out, item.b...), '}')
	}
	m.raw("messages", append(out, ']'))
	m.raw("has_more", fmt.Append(nil, start > 0))
	return append(m.b, '}'), nil
}

// number reads a count that may be omitted.
func number(v *fastjson.Value, name string, other int64) (int64, error) {
	m := v.Get(name)
	if m == nil || m.Type() == fastjson.TypeNull {
		return other, nil
	}
	n, err := m.Int64()
	if err != nil || n < 0 {
		return 0, fmt.Errorf("parse error: field `%s` is not a number from 0", name)
	}
	return n, nil
}

// messages returns role and content of the messages in a thread, oldest first.
func (b *index) messages(thread string) (list [][2]string) {
	for _, r := range b.runs {
		if r.thread != thread && !(r.thread == "" && (r.key == thread || r.id == thread)) {
			continue
		}
		if r.said != "" {
			list = append(list, [2]string{"user", r.said})
		}
		if reply := r.answered(); reply != "" {
			list = append(list, [2]string{"assistant", reply})
		}
	}
	return list
}
