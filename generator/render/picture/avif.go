package picture

import (
	"encoding/binary"
	"errors"
)

// sizeOfAVIF reads the boxes meta, iprp, ipco: ispe is an item's size, irot its
// turn (ISO/IEC 23008-12, 6.5). The largest item is the image; others are tiles
// and previews.
func sizeOfAVIF(data []byte) (width, height int, err error) {
	turned := false
	var walk func(data []byte)
	walk = func(data []byte) {
		for len(data) >= 8 {
			size, head := int64(binary.BigEndian.Uint32(data)), int64(8)
			if size == 1 && len(data) >= 16 {
				size, head = int64(binary.BigEndian.Uint64(data[8:])), 16
			}
			if size == 0 || size > int64(len(data)) {
				size = int64(len(data))
			}
			if size < head {
				return
			}
			body := data[head:size]
			switch string(data[4:8]) {
			case "meta":
				if len(body) >= 4 {
					walk(body[4:])
				}
			case "iprp", "ipco":
				walk(body)
			case "ispe":
				if len(body) >= 12 {
					w, h := int(binary.BigEndian.Uint32(body[4:])), int(binary.BigEndian.Uint32(body[8:]))
					if w < 1<<16 && h < 1<<16 && w*h > width*height {
						width, height = w, h
					}
				}
			case "irot":
				turned = len(body) >= 1 && body[0]&1 == 1
			}
			data = data[size:]
		}
	}
	walk(data)
	if width == 0 || height == 0 {
		return 0, 0, errors.New("it doesn't say how large it is")
	}
	if turned {
		width, height = height, width
	}
	return width, height, nil
}
