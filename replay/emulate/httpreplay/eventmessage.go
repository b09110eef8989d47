package httpreplay

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// appendEventMessage appends the message of application/vnd.amazon.eventstream (schema.EventMessage)
// for a line of Bedrock: an object with the event as its member, beside which may be padding and
// what the service adds. It appends nothing for a line without an event.
func appendEventMessage(dst, line []byte) []byte {
	v, err := fastjson.ParseBytes(line)
	if err != nil {
		return dst
	}
	name, payload := "", []byte(nil)
	v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		if k := string(key); k != "p" && !strings.HasPrefix(k, "amazon-bedrock-") && v.Type() == fastjson.TypeObject {
			name, payload = k, emulate.AppendJSON(nil, v)
		}
	})
	if name == "" {
		return dst
	}
	kind := "event"
	if strings.HasSuffix(name, "Exception") {
		kind = "exception"
	}
	var headers []byte
	for _, h := range [][2]string{{":" + kind + "-type", name}, {":content-type", "application/json"}, {":message-type", kind}} {
		headers = append(append(headers, byte(len(h[0]))), h[0]...)
		headers = append(headers, eventString)
		headers = append(binary.BigEndian.AppendUint16(headers, uint16(len(h[1]))), h[1]...)
	}
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(schema.EventLeast+len(headers)+len(payload)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(headers)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
	dst = append(append(dst, headers...), payload...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// eventString is the type of a header's value that is a string with its length in two bytes.
const eventString = 7
