package redactcorpus

import "strings"

// The classes of labels.
const (
	Secret = "secret"
	PII    = "pii"
)

// Label is what a text must not keep.
type Label struct {
	Class string
	Kind  string
	Text  string // as it stands in the case
}

// Case is one text with its labels; none for a hard negative.
type Case struct {
	Frame  string
	Text   string
	Labels []Label
}

// Cases makes the corpus of a seed. rounds is how often each kind is drawn.
func Cases(seed uint64, rounds int) []Case {
	d := newDice(seed)
	b := &builder{d: d}
	for range rounds {
		for _, m := range tokens {
			b.token(m)
		}
		for range 12 {
			b.people()
		}
		for _, id := range stateIDs {
			b.stateID(id)
		}
		b.passwords()
		for _, f := range negatives {
			b.out = append(b.out, Case{Frame: "negative: " + f.name, Text: f.negative(d)})
		}
		for _, twin := range numberTwins(d) {
			b.out = append(b.out, Case{Frame: "negative: wrong check digit", Text: twin})
		}
	}
	return b.out
}

type builder struct {
	d   dice
	out []Case
}

func (b *builder) add(f frame, class, kind, value, name, label string) {
	text, parts := f.fill(b.d, value, name, label)
	c := Case{Frame: f.name, Text: text}
	for _, p := range parts {
		c.Labels = append(c.Labels, Label{class, kind, p})
	}
	b.out = append(b.out, c)
}

func (b *builder) token(m maker) {
	d := b.d
	if v := m.make(d); strings.Contains(v, "\n") {
		for range 2 {
			b.add(pick(d, keyFrames), Secret, m.kind, m.make(d), "", "")
		}
		return
	}
	for range 3 {
		b.add(pick(d, namedFrames), Secret, m.kind, m.make(d), m.name, "")
	}
	if m.bare {
		b.add(pick(d, bareFrames), Secret, m.kind, m.make(d), "", "")
		b.add(pick(d, headerFrames), Secret, m.kind, m.make(d), "", "")
		b.add(pick(d, encodedFrames), Secret, m.kind+" in base64", m.make(d), m.name, "")
	}
}

func (b *builder) passwords() {
	d := b.d
	for range 25 {
		b.add(pick(d, namedFrames), Secret, "password by name", password(d), pick(d, passwordNames), "")
		b.add(pick(d, namedFrames), Secret, "token by name", opaque(d), pick(d, tokenNames), "")
		b.add(pick(d, headerFrames), Secret, "token in a header", opaque(d), "", "")
	}
	for _, f := range passwordFrames {
		b.add(f, Secret, "password by place", safePassword(d), "", "")
	}
	for range 4 {
		b.add(frame{"basic header", "Authorization: Basic {V}"}, Secret, "basic credentials", basicAuth(d), "", "")
		b.add(frame{"docker config", `{"auths":{"registry.example.com":{"auth":"{V}"}}}`}, Secret, "basic credentials", basicAuth(d), "", "")
		b.add(frame{"curl basic", "curl -H 'Authorization: Basic {V}' https://x.example.com"}, Secret, "basic credentials", basicAuth(d), "", "")
	}
}

func (b *builder) people() {
	d := b.d
	named := func(words ...string) string { return pick(d, words) }
	b.add(pick(d, peopleFrames), PII, "card", card(d), "", named("card", "card number", "credit_card", "pan", "visa"))
	b.add(pick(d, bareFrames), PII, "card", card(d), "", "")
	b.add(pick(d, peopleFrames), PII, "iban", iban(d), "", named("iban", "IBAN", "account", "bank account"))
	b.add(pick(d, bareFrames), PII, "iban", iban(d), "", "")
	b.add(pick(d, peopleFrames), PII, "email", email(d), "", named("email", "mail", "contact", "owner"))
	b.add(pick(d, bareFrames), PII, "email", email(d), "", "")
	p, plain := phone(d)
	b.add(pick(d, peopleFrames), PII, "phone", p, "", named("phone", "tel", "mobile", "phone_number", "phoneNumber", "Telefon"))
	if plain {
		b.add(pick(d, bareFrames), PII, "phone", p, "", "")
	}
	b.add(pick(d, peopleFrames), PII, "ip", publicIP(d), "", named("ip", "client_ip", "remote_addr", "peer"))
	b.add(pick(d, bareFrames), PII, "ip", publicIP(d), "", "")
}

func (b *builder) stateID(id stateID) {
	d := b.d
	label := "customer"
	if len(id.said) > 0 {
		label = pick(d, id.said)
	}
	b.add(pick(d, peopleFrames), PII, "national_id", id.make(d), "", label)
	if len(id.said) == 0 {
		b.add(pick(d, bareFrames), PII, "national_id", id.make(d), "", "")
	}
}
