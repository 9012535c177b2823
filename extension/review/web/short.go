package web

import (
	"bytes"
	"unicode/utf8"
)

// maxText is the most runes of one piece of text on a page; the API has all of it.
const maxText = 2000

// short cuts, in a page that is written, every text between two tags that is longer
// than maxText, so that no word of others makes a page large.
func short(page []byte) []byte {
	var out []byte
	kept := 0 // of page, as far as it is in out or will be
	for at := 0; at < len(page); {
		end := at + max(bytes.IndexByte(page[at:], '<'), 0)
		if page[at] != '<' && bytes.IndexByte(page[at:], '<') < 0 {
			end = len(page)
		}
		if text := page[at:end]; len(text) > maxText && utf8.RuneCount(text) > maxText {
			out = append(append(append(out, page[kept:at]...), beginning(text)...), "…"...)
			kept = end
		}
		// Values of attributes have no bracket of their own: they are escaped.
		close := bytes.IndexByte(page[end:], '>')
		if close < 0 {
			break
		}
		at = end + close + 1
	}
	if kept == 0 {
		return page
	}
	return append(out, page[kept:]...)
}

// beginning is the first maxText runes of escaped text, without half an entity.
func beginning(text []byte) []byte {
	n := 0
	for range maxText {
		_, size := utf8.DecodeRune(text[n:])
		n += size
	}
	text = text[:n]
	if amp := bytes.LastIndexByte(text, '&'); amp >= 0 && bytes.IndexByte(text[amp:], ';') < 0 {
		text = text[:amp]
	}
	return text
}
