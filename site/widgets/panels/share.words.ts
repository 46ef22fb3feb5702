// What the page says of taking something along.

import { inLanguage } from "../../words/language";
import table from "../../words/share.json";

export interface ShareWords {
  share: string;
  link: string;
  linkAbout: string;
  script: string;
  scriptAbout: string;
  moment: string;
  momentAbout: string;
  copied: string;
  inAddressBar: string;
  byHand: string;
  scriptTitle: string; // {title}, {world}, {at}, {seed}
  none: string;
  noNode: string;
}

export const shareWordsOf = (lang: string) => inLanguage<ShareWords>("share", table, lang);
