{{- /* define only: sums of the costs that sources state, of records of one currency. A sum
is exact: a number that has too many digits for it, or a great exponent, is returned as it
is stated. Where no source states a cost there is nothing to add up. */ -}}
{{define "stated_short"}}length(stated_cost) <= 24 AND (position(lower(stated_cost), 'e') = 0 OR match(stated_cost, '[eE][-+]?0?[0-9]$')){{end}}
{{define "stated_sums"}}{{if .StatedCosts}}any(records.stated_currency) AS stated_currency,
    countIf(stated_cost != '' AND NOT startsWith(scope, 'rest:')) AS stated_calls,
    sum(if(stated_cost = '', toDecimal256(0, 36), if({{template "stated_short"}}, toDecimal256OrZero(stated_cost, 36), toDecimal256(0, 36)))) AS stated_sum,
    groupArrayIf(stated_cost, stated_cost != '' AND NOT ({{template "stated_short"}})) AS stated_others
    {{- else}}'' AS stated_currency, toUInt64(0) AS stated_calls, toDecimal256(0, 36) AS stated_sum, []::Array(String) AS stated_others
    {{- end}}
{{- end}}
