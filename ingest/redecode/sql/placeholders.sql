{{- /* The placeholders in a stream's frames of which secrets were masked. */ -}}
SELECT groupUniqArrayArray(extractAll(raw, '\\[redacted:[a-z0-9-]+#[0-9]+\\]')) {{template "of_stream"}} AND seq <= {to:UInt64}
  AND bitAnd(flags, {redacted:UInt32}) != 0
