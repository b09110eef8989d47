package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// refusal returns an error as a text for an agent: what is wrong, and which tool and argument to use
// next.
func refusal(ctx context.Context, c *call, err error) error {
	if ctx.Err() != nil {
		return errors.New("the call was cancelled, or the server stops")
	}
	e, known := errors.AsType[*apiclient.Error](err)
	if !known {
		if of, fetched := errors.AsType[*url.Error](err); fetched {
			err = of.Err // the address of the API is of no use to an agent
		}
		return errors.New(short(err.Error(), errorSize))
	}
	text := e.Detail
	if text == "" {
		text = e.Title
	}
	text = short(text, errorSize)
	if len(e.Allowed) > 0 {
		text += fmt.Sprintf("\nAllowed for %s: %s", e.Parameter, short(strings.Join(e.Allowed, ", "), errorSize))
	}
	return errors.New(text + "\n" + c.advice(e))
}

// shortRefusals cuts the texts of refused calls: those of unknown tools and of invalid arguments quote
// what the client sent.
func shortRefusals(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && len(e.Message) > windowSize {
			return result, &jsonrpc.Error{Code: e.Code, Message: short(e.Message, windowSize)}
		}
		if called, ok := result.(*mcp.CallToolResult); ok && called.IsError {
			for _, content := range called.Content {
				if text, ok := content.(*mcp.TextContent); ok {
					text.Text = short(text.Text, windowSize)
				}
			}
		}
		return result, err
	}
}

// advice returns what to do about an answer of the API.
func (c *call) advice(e *apiclient.Error) string {
	switch e.Status {
	case http.StatusUnauthorized:
		return "Every tool needs a token that the server accepts: set TAPEDECK_TOKEN for \"tapedeck mcp\", or the Authorization header of the client."
	case http.StatusForbidden:
		if c.tool == "add_note" {
			return "This token may not write notes, which needs the scopes read and note: report what the note would say instead."
		}
		if c.tool == "read_frames" {
			return "This token may not read recorded bytes: use read_messages or read_span instead, which need the scope read."
		}
		return "This token may not read this: call find_sessions for what it may read."
	case http.StatusNotFound:
		if c.arguments["position"] != nil {
			return "Call read_frames with the session and without position for the positions of its frames, or find_sessions for the ids of sessions."
		}
		return "Call find_sessions, with the argument query for a part of the id or the title, for the ids of sessions."
	case http.StatusGone:
		if e.Title != problem.SessionDeleted {
			return "Use read_messages, read_span or session_outline for what is left of this session."
		}
		return "This session was deleted: call find_sessions for others."
	case http.StatusConflict:
		return "The session cannot take more notes: report what the note would say instead."
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "Wait for some seconds and repeat the call, or narrow it with from, to or session."
	case http.StatusBadRequest:
		if e.Parameter != "" {
			return fmt.Sprintf("Repeat %s with another value of the argument that sets %s.", c.tool, e.Parameter)
		}
	}
	return fmt.Sprintf("Repeat %s with other arguments.", c.tool)
}
