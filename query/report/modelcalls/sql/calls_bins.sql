{{- /* How many calls lie in each bin of each figure: bins are quarters of a decade, bin n from
10^(n/4) to 10^((n+1)/4), in ms and in tokens per second. */ -}}
SELECT figure, bin, count() AS calls
FROM (
    SELECT arrayJoin(arrayFilter(x -> x.3, [
        ('first_token_ms', first_token_took / 1e6, has_first_token),
        ('duration_ms', took_ns / 1e6, has_duration),
        ('longest_gap_ms', longest_ns / 1e6, streamed),
        ('tokens_per_second', rate, has_rate)])) AS value,
        value.1 AS figure,
        toInt32(floor(log10(greatest(value.2, 0.001)) * 4)) AS bin
    FROM ({{template "model_calls" .}}))
GROUP BY figure, bin
ORDER BY figure, bin
