// What the top bar opens: the list of keys, and what the reader can choose.

import { COLORS, LANGUAGES, SETS, type Settings, change, useSettings } from "./settings.ts";
import { Dialog } from "./ui.tsx";
import { t } from "./translations.ts";

const NAMES: Record<string, string> = { en: "English", de: "Deutsch", ru: "Русский", fr: "Français", es: "Español" };

export function Help({ onClose }: { onClose: () => void }) {
  const keys = [
    ["← →", t("key.move")],
    ["Shift ← →", t("key.variation")],
    ["↑ ↓", t("key.line")],
    ["Home End", t("key.ends")],
    [t("key.spaceName"), t("key.play")],
    ["f", t("key.flip")],
    ["x", t("key.text")],
    ["a", t("key.arrows")],
    ["e", t("key.explorer")],
    ["b", t("key.book")],
    ["n p", t("key.neighbours")],
    [`${t("key.spaceName")} Shift ↑ ↓`, t("key.select")],
    ["Shift F10", t("key.menu")],
    ["g", t("key.goto")],
    ["/", t("key.search")],
    ["Enter Esc", t("key.open")],
    ["c", t("key.fen")],
    ["Shift c", t("key.pgn")],
    ["d", t("key.dark")],
    ["?", t("key.help")],
  ];
  return (
    <Dialog title={t("help.title")} onClose={onClose}>
      <table class="keys">
        <tbody>
          {keys.map(([key, text]) => (
            <tr>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{t("help.draw")}</p>
    </Dialog>
  );
}

export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const settings = useSettings();
  type Key = Parameters<typeof t>[0];
  const choice = (name: keyof Settings, label: Key, values: string[], text: (value: string) => string | undefined) => (
    <p>
      <label>
        {t(label)}{" "}
        <select value={String(settings[name])} onChange={(event) => change({ [name]: event.currentTarget.value })}>
          {values.map((value) => (
            <option value={value} lang={name === "language" ? value : undefined}>
              {text(value)}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
  return (
    <Dialog title={t("settings")} onClose={onClose}>
      <div class="settings">
        {choice("language", "settings.language", LANGUAGES, (name) => NAMES[name])}
        {choice("theme", "settings.theme", ["system", "light", "dark"], (name) => t(`theme.${name}` as Key))}
        {choice("colors", "settings.board", COLORS, (name) => t(`colors.${name}` as Key))}
        {choice("set", "settings.set", SETS, (name) => t(`set.${name}` as Key))}
        {choice("pieces", "settings.pieces", ["figurines", "letters", "english"], (name) => t(`pieces.${name}` as Key))}
        <p>
          <label class="check">
            <input type="checkbox" checked={settings.singleKeys} onChange={() => change({ singleKeys: !settings.singleKeys })} />{" "}
            {t("settings.keys")}
          </label>
        </p>
      </div>
    </Dialog>
  );
}
