package x509

import "time"

// der reads one element of DER after the other. What cannot be read makes it bad, for good.
type der struct {
	rest []byte
	bad  bool
}

// Tags of ASN.1.
const (
	boolean, octets, oid     = 0x01, 0x04, 0x06
	sequence, set            = 0x30, 0x31
	utcTime, generalizedTime = 0x17, 0x18
)

// next is an element: its tag, what is in it, and all of it.
func (d *der) next() (tag byte, content, raw []byte) {
	all := d.rest
	if len(all) < 2 {
		d.bad = true
		return 0, nil, nil
	}
	n, at := int(all[1]), 2
	if n >= 0x80 {
		bytes := n & 0x7f
		if n = 0; bytes > 3 || len(all) < at+bytes {
			bytes, n = 0, len(all) // too long for anything
		}
		for _, b := range all[at : at+bytes] {
			n = n<<8 | int(b)
		}
		at += bytes
	}
	if n > len(all)-at {
		d.bad, d.rest = true, nil
		return 0, nil, nil
	}
	d.rest = all[at+n:]
	return all[0], all[at : at+n], all[:at+n]
}

// read is what is in the next element, which has to have a tag.
func (d *der) read(tag byte) []byte {
	got, content, _ := d.next()
	if got != tag {
		d.bad = true
	}
	return content
}

// into reads what is in the next element.
func (d *der) into(tag byte) *der {
	content := d.read(tag)
	return &der{rest: content, bad: d.bad}
}

// has tells whether the next element has a tag.
func (d *der) has(tag byte) bool { return !d.bad && len(d.rest) > 0 && d.rest[0] == tag }

func (d *der) more() bool { return !d.bad && len(d.rest) > 0 }

func (d *der) time() (t time.Time) {
	tag, content, _ := d.next()
	text := string(content)
	if tag == utcTime && text >= "5" {
		text = "19" + text
	} else if tag == utcTime {
		text = "20" + text
	}
	t, err := time.Parse("20060102150405Z", text)
	d.bad = d.bad || err != nil || tag != utcTime && tag != generalizedTime
	return t
}

// parse reads a certificate; nil is that it is none. Upstream: crypto/x509/parser.go, parseCertificate; RFC 5280, section 4.1.
func parse(raw []byte) *certificate {
	c := &certificate{raw: raw}
	outer := &der{rest: raw}
	body := outer.into(sequence)
	d := body.into(sequence)
	if d.has(0xa0) { // the version
		d.next()
	}
	d.next() // the serial number
	c.algorithm = d.into(sequence).read(oid)
	c.issuer = d.read(sequence)
	validity := d.into(sequence)
	c.notBefore, c.notAfter = validity.time(), validity.time()
	c.subject = d.read(sequence)
	d.read(sequence) // the key
	for d.more() {
		if !d.has(0xa3) {
			d.next()
			continue
		}
		for all := d.into(0xa3).into(sequence); all.more(); {
			c.extension(all.into(sequence))
			d.bad = d.bad || all.bad
		}
	}
	if outer.bad || len(outer.rest) > 0 || body.bad || d.bad || validity.bad {
		return nil
	}
	return c
}

// extension reads one of those that count. Upstream: processExtensions.
func (c *certificate) extension(d *der) {
	id := string(d.read(oid))
	if d.has(boolean) { // critical
		d.next()
	}
	value := d.into(octets)
	switch id {
	case "\x55\x1d\x0e": // subjectKeyIdentifier
		c.keyID = value.read(octets)
	case "\x55\x1d\x23": // authorityKeyIdentifier
		if in := value.into(sequence); in.has(0x80) {
			c.issuerKeyID = in.read(0x80)
		}
	case "\x55\x1d\x11": // subjectAltName
		c.named = true
		for in := value.into(sequence); in.more(); {
			if tag, name, _ := in.next(); tag == 0x82 {
				c.names = append(c.names, string(name))
			}
		}
	case "\x55\x1d\x13": // basicConstraints
		c.basic = true
		if in := value.into(sequence); in.has(boolean) {
			b := in.read(boolean)
			c.authority = len(b) == 1 && b[0] != 0
		}
	case "\x55\x1d\x25": // extKeyUsage
		for in := value.into(sequence); in.more(); {
			c.usages = append(c.usages, in.read(oid))
		}
	}
}

// attribute is one of a name, by its number below 2.5.4.
func attribute(name []byte, number byte) string {
	for d := (&der{rest: name}); d.more(); {
		for in := d.into(set); in.more(); {
			pair := in.into(sequence)
			if string(pair.read(oid)) == "\x55\x04"+string(rune(number)) {
				_, text, _ := pair.next()
				return string(text)
			}
		}
	}
	return ""
}
