package loom

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fastjson"
)

// workspace is the id of the one workspace that an emulation has. The threads of the recorded runs
// are in it.
const workspace = "recording"

// madeUp answers requests about agents, models and workspaces that have no recorded answer, with
// the agents and models that the requests of the runs name. The first result is nil for any other
// request.
func (b *index) madeUp(kind string, v *fastjson.Value) ([]byte, error) {
	needs := map[string][]string{
		"agent_list": {"id"}, "list_models": {"id"}, "set_model": {"id", "model_id"},
		"workspace_list": {"id"}, "workspace_create": {"id"}, "workspace_thread_list": {"id", "workspace_id"},
		"workspace_thread_add": {"id", "workspace_id", "thread_id"}, "workspace_thread_remove": {"id", "workspace_id", "thread_id"},
	}
	if needs[kind] == nil {
		return nil, nil
	}
	if err := check(v, needs[kind]...); err != nil {
		return nil, err
	}
	m := members{b: []byte("{")}
	m.text("type", kind)
	m.add("id", v.Get("id"))
	for _, name := range []string{"workspace_id", "thread_id"} {
		if slices.Contains(needs[kind], name) {
			m.add(name, v.Get(name))
		}
	}
	switch kind {
	case "agent_list":
		m.raw("agents", list(b.agents, func(item *members, name string) {
			item.text("name", name)
			item.raw("description", []byte("null"))
			item.text("source", "builtin")
		}))
	case "list_models":
		m.raw("models", list(b.models, func(item *members, name string) {
			provider, _, _ := strings.Cut(name, "/") // the ids are provider/model
			item.text("id", name)
			item.text("name", name)
			item.text("provider", provider)
		}))
	case "set_model":
		m.raw("success", []byte("true"))
	case "workspace_list":
		m.raw("workspaces", append(append([]byte{'['}, b.workspace()...), ']'))
	case "workspace_create": // earlier versions of the UI read workspace_id, later ones workspace
		m.text("workspace_id", workspace)
		m.raw("workspace", b.workspace())
	case "workspace_thread_list":
		m.raw("threads", b.threads(text(v, "workspace_id")))
	}
	return append(m.b, '}'), nil
}

// list writes an array of objects, one for each name.
func list(names []string, write func(item *members, name string)) []byte {
	out := []byte{'['}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		item := members{b: []byte("{")}
		write(&item, name)
		out = append(append(out, item.b...), '}')
	}
	return append(out, ']')
}

// workspace returns the description of the workspace.
func (b *index) workspace() []byte {
	m := members{b: []byte("{")}
	m.text("id", workspace)
	m.text("name", workspace)
	var begun int64
	if len(b.runs) > 0 {
		begun = b.runs[0].asked
	}
	m.raw("created_at_ms", fmt.Append(nil, begun/int64(time.Millisecond)))
	return append(m.b, '}')
}

// threads returns the threads of the recorded runs, in the order of their first runs.
func (b *index) threads(of string) []byte {
	begun := map[string]int64{}
	var names []string
	for _, r := range b.runs {
		if _, ok := begun[r.thread]; !ok && r.thread != "" && of == workspace {
			begun[r.thread], names = r.asked, append(names, r.thread)
		}
	}
	return list(names, func(item *members, name string) {
		item.text("thread_id", name)
		item.raw("created_at_ms", fmt.Append(nil, begun[name]/int64(time.Millisecond)))
	})
}

// note stores the agent and the model that a request names.
func (b *index) note(v *fastjson.Value) {
	for list, name := range map[*[]string]string{&b.agents: text(v, "agent"), &b.models: text(v, "model")} {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
}
