-- The words of texts, for searches: docs/search.md. The column terms is computed when it is read.
-- Case is folded, other characters than those of words are blanks, and the characters of scripts
-- that do not separate words stand by themselves; in JSON, escapes count as what they stand
-- for. The tokenizer splitByNonAlpha then separates ASCII, and query/search has the same terms.
ALTER TABLE messages DROP INDEX IF EXISTS text_words;

ALTER TABLE messages ADD COLUMN IF NOT EXISTS terms String ALIAS replaceRegexpAll(replaceRegexpAll(caseFoldUTF8(toValidUTF8(
    if(media = 'json' AND position(text, '\\') > 0,
        decodeXMLComponent(replaceRegexpAll(replaceRegexpAll(text, '\\\\[nrtbf"/\\\\]|&', ' '),
            '\\\\u([0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})', '&#x\\1;')),
        text))),
    '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]', ' '),
    '[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}]', ' \\0 ');

ALTER TABLE messages ADD INDEX IF NOT EXISTS text_terms terms TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 100000000;

ALTER TABLE messages MATERIALIZE INDEX text_terms;

ALTER TABLE spans ADD COLUMN IF NOT EXISTS terms String ALIAS replaceRegexpAll(replaceRegexpAll(caseFoldUTF8(toValidUTF8(error)),
    '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]', ' '),
    '[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}]', ' \\0 ');

ALTER TABLE spans ADD INDEX IF NOT EXISTS error_terms terms TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 100000000;

ALTER TABLE spans MATERIALIZE INDEX error_terms;
