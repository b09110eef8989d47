package jsonrpc

import (
	"testing"

	"github.com/valyala/fastjson"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSimilarity(t *testing.T) {
	const recorded = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"key":"[redacted]"},"message":{"messageId":"m1"}}}`
	for sent, want := range map[string]Similarity{
		`{"id":"x","method":"tools/call","params":{"message":{"messageId":"m1"},"_meta":{"progressToken":4},"arguments":{"key":"k","a":1},"name":"add"}}`: SameCall,
		`{"id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"key":"k"},"message":{"messageId":"m2"}}}`:                               SameButIDs,
		`{"id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":2}}}`:                                                                      SameTarget,
		`{"id":4,"method":"tools/call","params":{"name":"sub","arguments":{"a":1}}}`:                                                                      OtherCall,
		`{"id":5,"method":"tools/list","params":{"name":"add"}}`:                                                                                          OtherCall,
		`{"method":"tools/call","params":{"name":"add"}}`:                                                                                                 OtherCall, // a notification
	} {
		s, r := Sent(fastjson.MustParse(sent)), Recorded(fastjson.MustParse(recorded))
		if got := s.Similarity(&r); got != want {
			t.Errorf("%s: %d, want %d", sent, got, want)
		}
	}
}
