package mapping

import "strings"

// mediaOf reads images, sounds, films, documents and files of every form: with
// an address, with the data itself, or with the id of an uploaded file.
func mediaOf(modality string) partForm {
	return func(c *content, n *node) { c.media(n, modality) }
}

var modalities = []string{"image", "audio", "video"}

func (c *content) media(n *node, modality string) {
	if n.isString() {
		c.changed = true
		c.address(n, modality, n, n)
		return
	}
	typ := n.get("type").word()
	if (typ == "blob" || typ == "uri" || typ == "file") && (n.get("content") != nil || n.get("uri") != nil || n.get("modality") != nil) {
		c.begin(typ) // the snapshot's own form
		c.correctModality(n)
		c.close(n)
		return
	}
	c.changed = true
	// The value is in the part, or one or two members deeper.
	at := n
	for range 3 {
		deeper := at.any("source", "image_url", "image", "input_audio", "audio", "file", "document", "video", "inline_data", "inlineData", "file_data", "fileData")
		if deeper.isString() {
			c.address(deeper, modality, n, at)
			return
		}
		if !deeper.isObject() {
			break
		}
		at = deeper
		if t := at.get("type"); t != nil {
			t.read = true
		}
	}
	mime := at.any("mime_type", "media_type", "mimeType", "mediaType")
	if mime == nil {
		mime = n.any("mime_type", "media_type", "mimeType", "mediaType")
	}
	format := at.get("format")
	if format == nil {
		format = n.get("format")
	}
	if modality == "" || typ == "file" || typ == "binary" {
		modality = modalityOf(mime.word(), modality)
	}
	if url := at.any("url", "uri", "file_uri", "fileUri", "file_url"); url.isString() {
		c.address(url, modality, n, at)
		return
	}
	if id := at.any("file_id", "fileId"); id.isString() {
		c.begin("file")
		c.putText("modality", modalityOf("", modality))
		c.put("file_id", id)
		c.close(n)
		return
	}
	data := at.any("data", "bytes", "content", "base64_image", "base64")
	if inner := at.get("source"); data == nil && inner.isObject() {
		data = inner.any("data", "bytes")
	}
	if !data.isString() {
		c.generic(n)
		return
	}
	if text := data.word(); strings.HasPrefix(text, "data:") || strings.Contains(text, "://") {
		c.address(data, modality, n, at)
		return
	}
	c.begin("blob")
	c.putText("modality", modalityOf(mime.word(), modality))
	switch {
	case mime.isString():
		c.put("mime_type", mime)
	case format.isString() && modality != "":
		c.putText("mime_type", modality+"/"+format.take())
	}
	c.put("content", data)
	c.close(n)
}

// correctModality says what the type of the data says, where an emitter calls
// every file an image.
func (c *content) correctModality(n *node) {
	mime := n.any("mime_type").word()
	if mime == "" || n.get("modality").word() != "image" || strings.HasPrefix(mime, "image/") {
		return
	}
	c.changed = true
	n.get("modality").read = true
	c.putText("modality", modalityOf(mime, "document"))
}

// generic keeps a part as it is.
func (c *content) generic(n *node) {
	typ := n.get("type").word()
	if typ == "" {
		typ = "generic"
	}
	c.begin(typ)
	c.close(n)
}

// address writes a part whose value is somewhere else, or inside a data URL. at is
// the object that has the address.
func (c *content) address(url *node, modality string, n, at *node) {
	text := url.take()
	mime, data, inlined := strings.Cut(strings.TrimPrefix(text, "data:"), ";base64,")
	switch {
	case strings.HasPrefix(text, "data:") && inlined:
		c.begin("blob")
		c.putText("modality", modalityOf(mime, modality))
		c.putText("mime_type", mime)
		c.putText("content", data)
	case !strings.Contains(text, ":"): // neither an address nor a data URL: the data itself
		c.begin("blob")
		m := mimeOf(at, n)
		c.putText("modality", modalityOf(m.word(), modality))
		c.put("mime_type", m)
		c.putText("content", text)
	default:
		c.begin("uri")
		m := mimeOf(at, n)
		c.putText("modality", modalityOf(m.word(), modality))
		c.put("mime_type", m)
		c.putText("uri", text)
	}
	if at != n {
		c.ride(at)
	}
	if n != url {
		c.close(n)
	} else {
		c.close(nil)
	}
}

// mimeOf is the type that the object or the part around it states.
func mimeOf(at, n *node) *node {
	for _, o := range []*node{at, n} {
		if m := o.any("mime_type", "media_type", "mimeType", "mediaType"); m.isString() {
			return m
		}
	}
	return nil
}

func modalityOf(mime, modality string) string {
	for _, m := range modalities {
		if strings.HasPrefix(mime, m+"/") {
			return m
		}
	}
	if modality == "" {
		return "document"
	}
	return modality
}
