package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// openTools are the calls of a candidate that its next part may continue.
type openTools struct {
	call   *model.Tool // with incomplete arguments
	pieces *pieces     // of its arguments; nil before the first
	code   *model.Tool // executed by the API
	server *model.Tool // one of Google's tools
}

// functionCall reads {"id"?,"name","args"}, which the client executes. It mostly comes whole.
// Vertex AI may send the arguments in pieces, {"partialArgs":[…],"willContinue":true}; the first
// piece has the name.
func (d *decoder) functionCall(c *candidate, v *fastjson.Value, raw []byte) {
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	if c.open.call == nil || len(id) > 0 || len(name) > 0 {
		d.endCall(&c.open)
		c.open.call = d.Tool(id, name)
	}
	tool := c.open.call
	if args := dialect.RawMember(raw, "args"); len(args) > 0 && args[0] == '{' {
		d.SetArguments(tool, args)
	}
	if list := dialect.RawMember(raw, "partialArgs"); list != nil {
		d.partialArgs(&c.open, tool, list)
	}
	d.FirstToken()
	if !v.GetBool("willContinue") {
		d.endCall(&c.open)
	}
}

// codeTool is the name of code that the API executes.
const codeTool = "code_execution"

// code reads {"id"?,"language","code"}, which the API executes.
func (d *decoder) code(c *candidate, v *fastjson.Value, raw []byte) {
	tool := d.Tool(v.GetStringBytes("id"), []byte(codeTool))
	d.SetArguments(tool, raw)
	c.open.code = tool
}

// codeResult reads {"id"?,"outcome","output"}.
func (d *decoder) codeResult(c *candidate, v *fastjson.Value) {
	tool := d.OpenTool(v.GetStringBytes("id"))
	if tool == nil {
		tool = c.open.code
	}
	c.open.code = nil
	if tool == nil {
		tool = d.Tool(v.GetStringBytes("id"), []byte(codeTool))
		tool.Span.Started = 0 // only its end was seen
	}
	output := v.GetStringBytes("output")
	if output != nil {
		d.Returned(tool, output, "text")
	}
	switch outcome := outcomes.name(v.Get("outcome")); outcome {
	case "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED":
		d.EndTool(tool, schema.StatusError, []byte(outcome))
	default:
		d.EndTool(tool, schema.StatusOK, nil)
	}
}

// serverCall reads {"id"?,"toolType","args"}: a call of one of Google's tools, which the API
// executes.
func (d *decoder) serverCall(c *candidate, v *fastjson.Value, raw []byte) {
	tool := d.Tool(v.GetStringBytes("id"), []byte(toolTypes.name(v.Get("toolType"))))
	d.SetArguments(tool, dialect.RawMember(raw, "args"))
	c.open.server = tool
}

// serverResponse reads {"id"?,"toolType","response"}.
func (d *decoder) serverResponse(c *candidate, v *fastjson.Value, raw []byte) {
	id := v.GetStringBytes("id")
	if d.Ended(id) {
		return
	}
	tool := d.OpenTool(id)
	if tool == nil && len(id) == 0 {
		tool = c.open.server
	}
	c.open.server = nil
	if tool == nil {
		tool = d.Tool(id, []byte(toolTypes.name(v.Get("toolType"))))
		tool.Span.Started = 0 // only its end was seen
	}
	if response := dialect.RawMember(raw, "response"); !dialect.RawNull(response) {
		d.Returned(tool, response, "json")
	}
	status, why := schema.StatusOK, []byte(nil)
	if e := v.Get("response", "error"); !dialect.IsNull(e) {
		status = schema.StatusError
		if why = e.GetStringBytes(); why == nil {
			why = dialect.RawPath(raw, "response.error")
		}
	}
	d.EndTool(tool, status, why)
}
