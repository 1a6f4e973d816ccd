import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchPassages } from '../../../src/library/search.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { putText } from './put-text.ts'

const texts = {
  chinese: [
    '北京大学成立于1898年，是中国第一所国立综合性大学。',
    '长江是亚洲最长的河流，全长约6300公里。',
    '大熊猫主要以竹子为食，生活在四川的山区。',
  ],
  japanese: [
    '富士山は日本で一番高い山で、標高は3776メートルです。',
    '京都には多くの寺院があり、毎年たくさんの観光客が訪れます。',
    'コンピューターは二進数で計算を行います。ガスタービンは別の機械です。',
  ],
  korean: [
    '세종대왕은 1443년에 한글을 창제하였다.',
    '서울은 대한민국의 수도이며 한강이 도시를 가로지른다.',
    '김치는 배추와 고춧가루로 만든 발효 음식이다.',
  ],
  thai: ['กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย', 'ช้างเป็นสัตว์บกที่ใหญ่ที่สุดในโลก', 'ข้าวเป็นอาหารหลักของคนไทยมาตั้งแต่โบราณ'],
  hindi: ['गंगा भारत की सबसे लंबी नदी है।', 'ताजमहल आगरा में स्थित है और शाहजहाँ ने इसे बनवाया था।', 'हिन्दी भारत की राजभाषा है।'],
  arabic: ['القاهرة هي عاصمة مصر وأكبر مدنها.', 'يعتبر النيل أطول نهر في إفريقيا.', 'تُزرع النخيل في الواحات.'],
  hebrew: ['ירושלים היא בירת ישראל.', 'ים המלח הוא המקום הנמוך בעולם.', 'הזית גדל באזור הים התיכון.'],
  russian: [
    'Байкал — самое глубокое озеро в мире.',
    'Чайковский написал балет «Щелкунчик».',
    'Волга впадает в Каспийское море.',
  ],
  greek: [
    'Ο Παρθενώνας χτίστηκε στην Ακρόπολη της Αθήνας.',
    'Ο Όλυμπος είναι το ψηλότερο βουνό της Ελλάδας.',
    'Το ελαιόλαδο παράγεται από ελιές.',
  ],
}

describe('text in other scripts than Latin', () => {
  let storage: Storage

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    for (const [id, passages] of Object.entries(texts)) await putText(storage.library, { id, title: null, passages })
    await putText(storage.library, { id: 'english', title: null, passages: ['The TNF-α level rose in all patients.'] })
  })
  afterAll(() => storage.close())

  it.each([
    ['北京大学是哪一年成立的？', 'chinese.0'],
    ['长江有多长', 'chinese.1'],
    ['熊猫吃什么？', 'chinese.2'],
    ['富士山の高さは何メートルですか？', 'japanese.0'],
    ['京都の観光客', 'japanese.1'],
    ['ガスタービン', 'japanese.2'],
    ['ｺﾝﾋﾟｭｰﾀｰ', 'japanese.2'],
    ['한글은 누가 창제했습니까?', 'korean.0'],
    ['대한민국 수도', 'korean.1'],
    ['발효음식', 'korean.2'],
    ['เมืองหลวงของประเทศไทยคืออะไร', 'thai.0'],
    ['สัตว์บกที่ใหญ่ที่สุด', 'thai.1'],
    ['आगरा में ताजमहल किसने बनवाया?', 'hindi.1'],
    ['राजभाषा', 'hindi.2'],
    ['ما هي عاصمة مصر؟', 'arabic.0'],
    ['تزرع النخيل', 'arabic.2'],
    ['מהי בירת ישראל?', 'hebrew.0'],
    ['самое глубокое озеро', 'russian.0'],
    ['ЧАЙКОВСКИЙ', 'russian.1'],
    ['ψηλότερο βουνό', 'greek.1'],
    ['tnf-α', 'english.0'],
  ])('is found: %s', async (query, passageId) => {
    const [first] = await searchPassages(storage.library, query)
    expect(first?.passageId).toBe(passageId)
  })

  it('is not found by what it does not hold', async () => {
    expect(await searchPassages(storage.library, '上海交通')).toEqual([])
    expect(await searchPassages(storage.library, 'カメラ')).toEqual([])
  })
})
