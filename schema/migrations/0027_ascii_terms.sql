-- The column terms of texts in ASCII, which are most: lower case is all that they need. The terms
-- are the same as before (0019_search.sql), so the index of stored parts remains valid. ClickHouse
-- computes only the branch of each row, and takes a third less processor time for an insert.
ALTER TABLE messages MODIFY COLUMN terms String ALIAS if(
    isValidASCII(if(media = 'json' AND position(text, '\\') > 0,
        decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '),
            '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')),
        text)),
    lower(if(media = 'json' AND position(text, '\\') > 0,
        decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '),
            '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')),
        text)),
    replaceRegexpAll(replaceRegexpAll(caseFoldUTF8(toValidUTF8(
        if(media = 'json' AND position(text, '\\') > 0,
            decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '),
                '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')),
            text))),
        '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]', ' '),
        '[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}]', ' \\0 '));
