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
	outcome := v.GetStringBytes("outcome")
	switch string(outcome) {
	case "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED":
		d.EndTool(tool, schema.StatusError, outcome)
	default:
		d.EndTool(tool, schema.StatusOK, nil)
	}
}
