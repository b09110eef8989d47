package loom

import (
	"context"
	"errors"
	"fmt"

	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
)

// answer answers one request.
func (c *conn) answer(ctx context.Context, request []byte) error {
	message, err := c.messageFor(ctx, request)
	if _, wrong := errors.AsType[*requestError](err); wrong {
		message, err = errorOf("", err.Error()), nil
	}
	if err != nil || message == nil {
		return err
	}
	return c.write(ctx, websocket.MessageText, message)
}

// requestError is an error of the client's request: the client receives it, and the
// connection stays open.
type requestError struct{ err error }

func (e *requestError) Error() string { return e.err.Error() }

// messageFor returns the answer to a request. For a run request it plays the run and
// returns no message.
func (c *conn) messageFor(ctx context.Context, request []byte) ([]byte, error) {
	v, err := fastjson.ParseBytes(request)
	if err != nil || v.Type() != fastjson.TypeObject {
		if err == nil {
			err = errors.New("a request is a JSON object")
		}
		return nil, &requestError{fmt.Errorf("parse error: %w", err)}
	}
	var message []byte
	switch kind := text(v, "type"); kind {
	case "run":
		if err = check(v, "message", "agent"); err == nil {
			return nil, c.run(ctx, v)
		}
	case "ping":
		if err = check(v, "id"); err == nil {
			m := members{b: []byte("{")}
			m.text("type", "pong")
			m.add("id", v.Get("id"))
			message = append(m.b, '}')
		}
	case "tools_list":
		message, err = c.index.toolsList(v)
	case "tool_show":
		message, err = c.index.toolShow(v)
	case "user_messages":
		message, err = c.index.userMessages(v)
	case "cancel_run":
		m := members{b: []byte("{")}
		m.text("type", "cancel_run")
		m.addUnlessNull("id", v.Get("id"))
		m.addUnlessNull("run_id", v.Get("run_id"))
		m.raw("success", []byte("true"))
		message = append(m.b, '}')
	default:
		if message = c.recorded(kind, v.Get("id")); message == nil {
			message, err = c.index.madeUp(kind, v)
		}
		if message == nil && err == nil {
			err = fmt.Errorf(
				"parse error: unknown variant `%s`, expected one of `run`, `tools_list`, `tool_show`, `user_messages`, `ping`",
				kind,
			)
		}
	}
	if err != nil {
		err = &requestError{err}
	}
	return message, err
}

// recorded returns the recorded answer to a request of this type, with the id of the current
// request.
func (c *conn) recorded(kind string, id *fastjson.Value) []byte {
	raw := c.index.answers[kind]
	if raw == nil {
		return nil
	}
	v, err := fastjson.ParseBytes(raw)
	if err != nil {
		return nil
	}
	m := members{b: []byte("{")}
	v.GetObject().Visit(func(k []byte, value *fastjson.Value) {
		if string(k) != "id" {
			m.add(string(k), value)
		} else if id != nil {
			m.add("id", id)
		}
	})
	return append(m.b, '}')
}

// run plays the next run.
func (c *conn) run(ctx context.Context, request *fastjson.Value) error {
	r, err := c.choose(textOf(request.Get("message")))
	if err != nil {
		return err
	}
	runCtx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.cancel = nil
		c.mu.Unlock()
		cancel(nil)
	}()
	out := &output{run: r, to: func(kind websocket.MessageType, message []byte) error {
		return c.write(ctx, kind, message)
	}}
	_, err = c.server.stage.Play(runCtx, r.excerpt(c.tape, c.from), out, max(r.asked, c.from.Position.At), c.pace,
		false)
	switch {
	case err == nil:
		err = out.finish()
	case ctx.Err() == nil && errors.Is(context.Cause(runCtx), errCancelled):
		return out.send(errorOf(r.id, errCancelled.Error()), false)
	}
	if err == nil && out.failed && !r.stayed {
		c.server.leaveOff(c.tenant, c.session, c.played)
		return errClosing
	}
	return err
}

// choose returns the run to play next. The error is a *requestError if there is none.
func (c *conn) choose(said string) (*run, error) {
	var runs []*run
	for _, r := range c.index.runs {
		if r.last.At >= c.from.Position.At {
			runs = append(runs, r)
		}
	}
	all := len(runs)
	ids := make([]string, 0, all)
	var fitting []*run
	for _, r := range runs {
		if !c.pace.MatchBody || !r.heard || r.said == said {
			fitting, ids = append(fitting, r), append(ids, r.first.String())
		}
	}
	if c.pace.MatchBody && len(fitting) == 0 {
		return nil, &requestError{fmt.Errorf("none of the %d recorded runs of session %q has this message", all,
			c.session)}
	}
	i := -1
	if c.pace.Take != "" || c.pace.MatchBody {
		takes := &c.server.takes
		if c.pace.Take == "" {
			takes = &c.takes
		}
		i = takes.Choose(c.tenant, c.session, c.pace.Take, ids, c.pace.End)
	} else if n := len(fitting); c.played < n || n > 0 && c.pace.End == emulate.Again {
		i = c.played % n
	} else if c.pace.End == emulate.Last {
		i = n - 1
	}
	if i < 0 {
		return nil, &requestError{fmt.Errorf("all %d recorded runs of session %q were played", all, c.session)}
	}
	c.played++
	return fitting[i], nil
}
