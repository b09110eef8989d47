-- Whether there are sessions of OpenCode 2, which has tables of its own.
SELECT 1
FROM session_v2
LIMIT 1
